import { UNSPACED } from './letters.ts'

/** The URL of a link if it is harmless: web or email. Otherwise null. */
export function safeHref(href: string): string | null {
  try {
    // Browsers read a backslash as a slash, so that `https:\\host` would be an address.
    const url = new URL(href.replaceAll('\\', '%5C'))
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
  } catch {
    return null
  }
}

/** Maximum length of an address. A longer one is text. */
export const MAX_ADDRESS = 2_000

/** What ends an address wherever it stands: blanks, quotation marks, and the punctuation and brackets of East Asian scripts. */
const ENDS =
  /[\s<>"`\u00AB\u00BB\u2018-\u201F\u2026\u2039\u203A\u3001-\u3003\u3008-\u3011\u3014-\u301F\uFF01\uFF08\uFF09\uFF0C\uFF0E\uFF1A\uFF1B\uFF1C\uFF1E\uFF1F\uFF3B\uFF3D\uFF5B\uFF5D\uFF5F-\uFF64]|\|\||\\</
/** Punctuation that is part of an address only if more of the address follows. */
const TRAILING = /[?!.,:;*_~'|]+$/
const CLOSING: Record<string, string | undefined> = { ')': '(', ']': '[', '}': '{' }
/** Where a sentence goes on without a space after the name of a host. */
const HOST_END = new RegExp(String.raw`(?<=[a-z\d])[${UNSPACED}]`, 'u')

/** The end of the address of a web page that begins at `start`, without the punctuation of the sentence around it. */
export function addressEnd(text: string, start: number): number {
  const rest = text.slice(start, start + MAX_ADDRESS)
  const length = rest.search(ENDS)
  let address = length < 0 ? rest : rest.slice(0, length)
  const host = /^(?:https?:\/\/)?[^/?#]*/i.exec(address)?.[0] ?? ''
  const hostEnd = host.search(HOST_END)
  if (hostEnd >= 0) address = address.slice(0, hostEnd)
  // Brackets belong to an address if it has both of them.
  const open: string[] = []
  for (let at = 0; at < address.length; at += 1) {
    const sign = address[at]!
    if (sign === '(' || sign === '[' || sign === '{') open.push(sign)
    else if (CLOSING[sign] !== undefined && open.pop() !== CLOSING[sign]) address = address.slice(0, at)
  }
  return start + address.replace(TRAILING, '').length
}

/** The address between the parentheses of a link, which begins at `start`; null if there is none. */
export function readTarget(text: string, start: number): { href: string; end: number } | null {
  if (text[start] === '<') {
    const found = matchAt(/<((?:\\.|[^<>\\\n])*)>\)/y, text, start)
    return found ? target(found[1]!, start + found[0].length) : null
  }
  let depth = 0
  const limit = Math.min(text.length, start + MAX_ADDRESS)
  for (let at = start; at < limit; at += 1) {
    const sign = text[at]!
    if (sign === '\\' && /[()<>\\]/.test(text[at + 1] ?? '')) at += 1
    else if (sign === ')') {
      if (depth === 0) return target(text.slice(start, at), at + 1)
      depth -= 1
    } else if (sign === '(') {
      depth += 1
      // Each of many unfinished links would be read to the end of the text.
      if (depth > 8) return null
    } else if (/[\s<]/.test(sign)) return null
  }
  return null
}

function target(written: string, end: number): { href: string; end: number } | null {
  const href = safeHref(written.replaceAll(/\\([()<>\\])/g, '$1'))
  return href === null ? null : { href, end }
}

/** The match of a sticky pattern at an index. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
