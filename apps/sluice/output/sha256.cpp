#include "apps/sluice/output/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <memory>

#include "sluice/error.hpp"

namespace sluice::command {

std::string sha256(std::istream& in) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<char, std::size_t{1} << 16> piece{};
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int bytes = 0;
  bool fine = hash != nullptr && EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) == 1;
  while (fine && in) {
    in.read(piece.data(), piece.size());
    fine = EVP_DigestUpdate(hash.get(), piece.data(), static_cast<std::size_t>(in.gcount())) == 1;
  }
  fine = fine && EVP_DigestFinal_ex(hash.get(), digest.data(), &bytes) == 1;
  SLUICE_ASSERT(fine, "libcrypto computes no SHA-256");
  std::string text;
  for (unsigned int i = 0; i < bytes; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace sluice::command
