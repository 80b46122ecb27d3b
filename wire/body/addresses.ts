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

/** The name of a host, perhaps with a user and a port. */
const HOST = /(?:https?:\/\/)?([\p{L}\p{M}\p{N}._~%@:-]{1,255})/iuy
/** Where a sentence goes on without a space after the name of a host. */
const HOST_END = new RegExp(String.raw`(?<=[a-z\d])[${UNSPACED}]`, 'u')
/** What ends an address wherever it stands: blanks, quotation marks, and the punctuation and brackets of East Asian scripts. */
const ENDS =
  /[\s<>"`\u00AB\u00BB\u2018-\u201F\u2026\u2039\u203A\u3001-\u3003\u3008-\u3011\u3014-\u301F\uFF01\uFF08\uFF09\uFF0C\uFF0E\uFF1A\uFF1B\uFF1C\uFF1E\uFF1F\uFF3B\uFF3D\uFF5B\uFF5D\uFF5F-\uFF64]|\|\||\\</
/** Punctuation that is part of an address only if more of the address follows. */
const TRAILING = "?!.,:;*_~'|"
const CLOSING: Record<string, string | undefined> = { ')': '(', ']': '[', '}': '{' }

/** An address of a web page that begins at `start`, without the punctuation of the sentence around it; null if there is none. */
export function readAddress(text: string, start: number): { href: string; end: number } | null {
  const found = matchAt(HOST, text, start)
  if (!found) return null
  let [address] = found
  const sentence = address.search(HOST_END)
  if (sentence >= 0) address = address.slice(0, sentence)
  else if (/[/?#]/.test(text[start + address.length] ?? '') && webHref(address))
    address = withPath(text, start)
  let end = address.length
  while (end > 0 && TRAILING.includes(address[end - 1]!)) end -= 1
  const href = webHref(address.slice(0, end))
  return href ? { href, end: start + end } : null
}

/** The address in the form of browsers if it has a host; else null. */
function webHref(address: string): string | null {
  if (/^www\./i.test(address)) return /^www\.[^.]+\../i.test(address) ? safeHref(`http://${address}`) : null
  return safeHref(address)
}

/** The address with its path: brackets belong to it if it has both of them. */
function withPath(text: string, start: number): string {
  const rest = text.slice(start, start + MAX_ADDRESS)
  const length = rest.search(ENDS)
  const address = length < 0 ? rest : rest.slice(0, length)
  const open: string[] = []
  for (let at = 0; at < address.length; at += 1) {
    const sign = address[at]!
    if (sign === '(' || sign === '[' || sign === '{') open.push(sign)
    else if (CLOSING[sign] !== undefined && open.pop() !== CLOSING[sign]) return address.slice(0, at)
  }
  return address
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
