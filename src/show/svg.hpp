#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

/// What pictures share.
namespace sluice::detail {

/// Okabe and Ito's palette without black and yellow, which vanish on dark or light ground.
inline constexpr std::array kPalette{"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                     "#56B4E9", "#D55E00", "#8A7A00", "#7F7F7F"};

/// The colours of a matrix, for values from the smallest to the largest: dark blue over green to light yellow.
struct Rgb {
  int red, green, blue;
};
inline constexpr std::array kHeatStops{Rgb{26, 28, 84}, Rgb{31, 120, 130}, Rgb{120, 190, 110}, Rgb{253, 240, 160}};

/// Colours of text, ground and lines by class ("page", "faint", "line"), for light and dark. "bar" is for shapes that
/// must not run together with their neighbours, "above" for text that lines pass behind.
inline constexpr std::string_view kStyle =
    "<style>text { fill: #1a1a1a } .page { fill: white } .faint { fill: #f0f0f0 } .line { stroke: #b0b0b0 } "
    ".bar { stroke: white; stroke-width: 0.8 } .above { stroke: white; stroke-width: 4; stroke-linejoin: round; "
    "paint-order: stroke } @media "
    "(prefers-color-scheme: dark) { text { fill: #e6e6e6 } .page { fill: #1a1a1a } .faint { fill: #2b2b2b } "
    ".line { stroke: #5a5a5a } .bar, .above { stroke: #1a1a1a } }</style>\n";

/// The width of all pictures. Text is 6 pt high if a picture is printed 85 mm (241 pt) wide, as in a column of a paper.
/// Units of the picture; on a screen one unit is kScreenPixels.
inline constexpr double kPictureWidth = 480;
inline constexpr int kTextSize = 12;
inline constexpr int kTitleSize = 14;
inline constexpr double kScreenPixels = 1.5;
/// About how wide a character is, of text as high as 1.
inline constexpr double kCharacterWidth = 0.6;

/// `text` with what XML reserves written out, control characters as blanks.
[[nodiscard]] std::string escaped(std::string_view text);

/// The start of a picture of kPictureWidth: size, fonts, style, ground and title.
[[nodiscard]] std::string svg_head(double height, std::string_view title);

/// `what` at a point, which is its start, middle or end.
[[nodiscard]] std::string svg_text(double x, double y, std::string_view what, std::string_view anchor,
                                   int size = kTextSize, std::string_view style_class = "");

/// The colour of text on ground of `colour`, "#RRGGBB": white or nearly black, whichever is the clearer there.
[[nodiscard]] std::string_view text_colour_on(std::string_view colour);

/// About how wide `characters` of ordinary text are.
[[nodiscard]] double text_width(std::size_t characters);

/// Text above a picture, or a part of it.
struct SvgHeading {
  std::string svg;
  double bottom = 0;  ///< where what follows may begin
};
/// A title and, smaller, what is worth knowing, from `top` on, in lines that fit: folded at blanks. Either may be
/// empty.
[[nodiscard]] SvgHeading svg_heading(double top, std::string_view title, std::string_view facts);

/// The least of 1, 2, 5 times a power of ten that puts at most `most` ticks on an axis of `length`. @pre length > 0
[[nodiscard]] double tick_step(double length, int most);

}  // namespace sluice::detail
