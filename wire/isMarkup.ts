// oxlint-disable no-control-regex -- what files begin with are bytes, not text

/** Number of leading bytes of a file that decide whether it is markup. */
export const markupHeadLength = 512

/**
 * Where HTML, XHTML, SVG and other XML documents begin: what browsers take for a page when no header names a type
 * (WHATWG MIME Sniffing 7.1), every document type declaration, SVG, and an element that declares a namespace.
 */
const markup =
  /^<(\?xml|!--|(!doctype|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|svg)(?=[\s>/])|[\w-]+:svg\b|[\w:.-]+\s[^>]*\bxmlns\b)/i

/**
 * Whether a file is a document in which scripts may run, whatever its declared type.
 * @param head its first bytes, as Latin-1 text; `markupHeadLength` of them where it has as many
 */
export function isMarkup(head: string): boolean {
  const text = head
    .slice(0, markupHeadLength)
    .replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    // UTF-16: without its NULs, markup is ASCII.
    .replaceAll('\0', '')
    .trimStart()
  return markup.test(text)
}
