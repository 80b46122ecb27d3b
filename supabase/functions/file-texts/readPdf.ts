import { getDocumentProxy } from 'unpdf'
import { maxText } from './splitPassages.ts'

/** Of processor time. A call ends after two seconds, and then stores nothing. */
const maxMs = 1200

/**
 * The text of a PDF, page by page, until there is enough of it or it takes too long; null if it is no PDF, has a
 * password, or is damaged.
 */
export async function readPdf(bytes: Uint8Array): Promise<string | null> {
  const start = now()
  let text = ''
  try {
    const document = await getDocumentProxy(bytes, { isEvalSupported: false, verbosity: 0 })
    for (let number = 1; number <= document.numPages && text.length < maxText; number++) {
      if (now() - start > maxMs) break
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      for (const item of items) if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str
      text += '\n'
      page.cleanup()
    }
    await document.destroy()
  } catch {
    // Of a damaged file, the pages before.
    if (text === '') return null
  }
  // Words that are divided at the end of a line.
  return text.replaceAll(/(\p{L})[-\u00ad\u2010]\n(?=\p{Ll})/gu, '$1')
}

/** Milliseconds of processor time; with Deno, which doesn't count it, of time. */
function now(): number {
  if ('deno' in process.versions) return performance.now()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
