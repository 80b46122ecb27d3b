/** The examples of CommonMark 0.31.2, by number, that Linnet renders differently on purpose, by the reason. */
export const differences: Record<string, number[]> = {
  'Leading spaces make no code block: people indent without meaning one.': [
    1, 3, 8, 18, 36, 48, 49, 69, 70, 85, 87, 100, 107, 111, 112, 114, 115, 116, 117, 118, 134, 211, 225, 231,
    236, 253, 272,
  ],
  'HTML is shown as the text that it is.': [
    21, 31, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166,
    167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187,
    188, 189, 190, 191, 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 536, 613, 614, 615, 616, 617, 623,
    625, 626, 627, 628, 629, 630, 631, 642, 643,
  ],
  'References such as &copy; are shown as they are written: the table of their names is larger than the lexer.':
    [25, 32, 33, 34, 39, 41, 503],
  'A link is shown as it is written if its address is empty, or neither of the web nor of email.': [
    200, 485, 486, 487, 567, 596, 598, 599, 601,
  ],
  'Addresses in the text are links, as in GitHub Flavored Markdown.': [518, 519, 602, 608, 611, 612],
  'A picture is a link, and without a description it is shown as it is written.': [581],
}
