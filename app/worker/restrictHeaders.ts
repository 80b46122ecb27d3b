import { fileKindOf } from '../../wire/fileKinds.ts'
import { fileNameFields } from '../../wire/fileNameFields.ts'

/** What shows a file, as `Request.destination` names it; '' is a fetch by a script of ours. */
type Destination = string

/**
 * Kinds that open in place, by what shows them. An address that somebody opens by itself shows pictures and words
 * alone: a video or a PDF there would fetch its parts from a page that this worker doesn't serve.
 */
const inlineKinds: Record<string, RegExp> = {
  document: /^(picture|text)$/,
  iframe: /^(picture|pdf|text)$/,
  '': /^(?!other$)/,
  image: /^picture$/,
  video: /^(video|audio)$/,
  audio: /^(video|audio)$/,
}

/**
 * Whether to read how a file begins before it is answered: it would open as a document, and a storage server that
 * trusts the type it was given labels a page as plain text or a picture.
 */
export function mayHideMarkup(
  upstream: Headers,
  o: { download: boolean; destination: Destination },
): boolean {
  return (o.destination === 'document' || o.destination === 'iframe') && opensInline(upstream, o)
}

function opensInline(upstream: Headers, o: { download: boolean; destination: Destination }): boolean {
  const withheld = /^attachment/i.test(upstream.get('content-disposition') ?? '')
  return (
    !o.download &&
    !withheld &&
    (inlineKinds[o.destination]?.test(fileKindOf(upstream.get('content-type') ?? '')) ?? false)
  )
}

/** Whether something that shows or saves files asks; nothing of an unknown sender's ever becomes a script or a style. */
export function mayShow(destination: Destination): boolean {
  return Object.hasOwn(inlineKinds, destination)
}

/** An origin of its own, and nothing that it could load or run: only what a browser draws a lone picture with. */
const sandboxPolicy =
  "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox"

/** A browser's own viewer is no document of ours and doesn't start in a sandbox; scripts stay forbidden. */
const pdfPolicy = "default-src 'none'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

/**
 * The headers of a response: from storage's headers only those known to be harmless, and a type that no browser renders
 * as a page.
 * @param upstream storage's own headers
 * @param o.name as the file is called; may be empty
 * @param o.markup whether it begins as HTML, XHTML, XML or SVG: saved, whatever type storage sent
 */
export function restrictHeaders(
  upstream: Headers,
  o: { name: string; download: boolean; destination: Destination; markup: boolean },
): Headers {
  const type = upstream.get('content-type') ?? ''
  const kind = fileKindOf(type)
  const shown = !o.markup && opensInline(upstream, o)
  const headers = new Headers({
    'accept-ranges': 'bytes',
    // The next request checks the policy again; storage's own cache headers decide then whether the bytes are sent.
    'cache-control': 'no-store',
    'content-disposition': `${shown ? 'inline' : 'attachment'}${fileNameFields(o.name)}`,
    'content-security-policy': shown && kind === 'pdf' ? pdfPolicy : sandboxPolicy,
    'content-type': !shown
      ? 'application/octet-stream'
      : kind === 'text'
        ? 'text/plain; charset=utf-8'
        : (type.split(';')[0] ?? '').trim(),
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  for (const name of ['etag', 'last-modified']) {
    const value = upstream.get(name)
    if (value !== null) headers.set(name, value)
  }
  // The length of what was packed for the way is not that of what comes out.
  const length = upstream.get('content-length')
  if (length !== null && !upstream.has('content-encoding')) headers.set('content-length', length)
  return headers
}
