// oxlint-disable no-control-regex -- files begin with bytes, not text

/** Number of leading bytes of a file that decide whether it is markup. */
export const markupHeadLength = 512

/**
 * The beginning of HTML, XHTML, SVG and other XML documents: the patterns by which browsers recognise HTML where no
 * header names a type (WHATWG MIME Sniffing 7.1), document type declarations, SVG, and elements that declare a
 * namespace.
 */
const markup =
  /^<(\?xml|!--|(!doctype|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|svg)(?=[\s>/])|[\w-]+:svg\b|[\w:.-]+\s[^>]*\bxmlns\b)/i

/**
 * Whether a file is a document in which scripts may run, whatever its declared type.
 * @param head its first `markupHeadLength` bytes, or fewer if it is shorter, as Latin-1 text
 */
export function isMarkup(head: string): boolean {
  const text = head
    .slice(0, markupHeadLength)
    .replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    // Markup in UTF-16 is ASCII with NULs between the characters.
    .replaceAll('\0', '')
    .trimStart()
  return markup.test(text)
}
