/** The text part of a mail, from its HTML: links as "text: URL", blocks as lines. */
export function htmlToText(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(style|script|head|title)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/\s+/g, ' ')
    .replace(
      /<a\b[^>]*?\shref\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>([\s\S]*?)<\/a\s*>/gi,
      (_, a, b, linkText: string) => {
        const address = (a ?? b) as string
        const plain = linkText.replace(/<[^>]*>/g, '').trim()
        if (plain === '' || plain === address) return address
        // A long URL starts a new line, so that it does not break.
        return `${plain}:${address.length > 40 ? '<br>' : ' '}${address}`
      },
    )
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/<\/(p|div|h[1-6]|li|tr|table|ul|ol|blockquote)\s*>/gi, '\n\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => safeCharacter(Number(code)))
    .replace(/&#x([0-9a-f]+);/gi, (_, code: string) => safeCharacter(Number.parseInt(code, 16)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/[ \t]*\n[ \t]*/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function safeCharacter(code: number): string {
  return Number.isInteger(code) && code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** The first http or https link; null if there is none. */
export function firstLink(html: string): string | null {
  const match = /<a\b[^>]*?\shref\s*=\s*(?:"(https?:[^"]*)"|'(https?:[^']*)')/i.exec(html)
  return match ? htmlToText(match[1] ?? match[2] ?? '') : null
}
