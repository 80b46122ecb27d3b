import { fileKindOf } from '../../wire/fileKinds.ts'
import { fileNameFields } from '../../wire/fileNameFields.ts'

/** `Request.destination`; '' is a fetch by a script of the app. */
type Destination = string

/**
 * Kinds of files that open in place, by destination. A URL that is opened in a tab of its own displays only pictures and
 * text: videos and PDFs would fetch their parts from a page that this worker does not control.
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
 * Whether the first bytes of a file have to be checked: it would open as a document, and some storage servers send the
 * type that the uploader declared, such as plain text for HTML.
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

/** Whether the destination displays or saves files: files never become scripts or styles. */
export function mayShow(destination: Destination): boolean {
  return Object.hasOwn(inlineKinds, destination)
}

/** An opaque origin that can neither load nor run anything, besides what browsers need to display a picture. */
const sandboxPolicy =
  "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox"

/** Browsers' own PDF viewers do not start in a sandbox; scripts stay forbidden. */
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
  // The length of a compressed response is not that of its decoded body.
  const length = upstream.get('content-length')
  if (length !== null && !upstream.has('content-encoding')) headers.set('content-length', length)
  return headers
}
