import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

const compressible = /^(text\/|application\/(json|manifest|wasm)|image\/svg)/

/** File names with a content hash, as Vite writes them. */
const hashedName = /^\/assets\/.+-[\w-]{8,}\.\w+$/

/** Smaller files are not worth compressing. */
const minCompressedBytes = 1024

type Encoding = 'br' | 'gzip'

interface AppFile {
  plain: Buffer
  isCompressible: boolean
  /** By encoding, once a browser that accepts it has requested the file. */
  compressed: Map<Encoding, Promise<Buffer>>
  etag: string
  headers: Record<string, string>
}

function prepare(plain: Buffer, name: string): AppFile {
  const type = types[extname(name)] ?? 'application/octet-stream'
  const isCompressible = compressible.test(type) && plain.length >= minCompressedBytes
  return {
    plain,
    isCompressible,
    compressed: new Map(),
    etag: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
    headers: {
      'content-type': type,
      'cache-control': hashedName.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(isCompressible && { vary: 'Accept-Encoding' }),
    },
  }
}

function compress(file: AppFile, encoding: Encoding): Promise<Buffer> {
  const body =
    file.compressed.get(encoding) ??
    (encoding === 'gzip'
      ? promisify(gzip)(file.plain, { level: 9 })
      : // 9 takes twice the time, and makes files 0.1 % smaller.
        promisify(brotliCompress)(file.plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } }))
  file.compressed.set(encoding, body)
  return body
}

/** The files below `dir` by URL path. */
function readFiles(dir: string): Map<string, Buffer> {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [`/${relative(dir, path).split(sep).join('/')}`, readFileSync(path)]))
}

/** The path of `share_target` in the manifest, and of the page that explains that nothing was received. */
const sharePath = '/share'
const missedSharePage = '/share?again'

export interface AppFiles {
  /** Sends the file at that path, or the page for a navigation; returns false for any other request. */
  serve(incoming: IncomingMessage, outgoing: ServerResponse, path: string): Promise<boolean>
}

/**
 * Serves a built application. All of its files, a few megabytes, are read here: no request can read anything else from
 * disk, and a later build does not affect pages of this one. They are compressed when first requested, in the encoding
 * that the browser accepts.
 * @param headersOf returns the headers that are sent with every file
 */
export function createAppFiles(
  dir: string,
  headersOf: (incoming: IncomingMessage) => Record<string, string>,
): AppFiles {
  const contents = readFiles(dir)
  const files = new Map<string, AppFile>()
  const fileOf = (name: string): AppFile => {
    const file = files.get(name) ?? prepare(contents.get(name)!, name)
    files.set(name, file)
    return file
  }

  const nameFor = (incoming: IncomingMessage, path: string): string | null => {
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return null
    if (contents.has(path)) return path
    const isNavigation = (incoming.headers.accept ?? '').includes('text/html')
    // Channels on the web have a page of their own, which loads nothing of the messenger.
    const page = path.startsWith('/w/') && contents.has('/web.html') ? '/web.html' : '/index.html'
    return isNavigation && !path.startsWith('/assets/') && contents.has(page) ? page : null
  }

  return {
    async serve(incoming, outgoing, path) {
      // The service worker stores what another application shares. It is missing, for example because its data were cleared.
      if (incoming.method === 'POST' && path === sharePath && contents.has('/index.html')) {
        outgoing.writeHead(303, { location: missedSharePage, 'cache-control': 'no-store' }).end()
        return true
      }
      const name = nameFor(incoming, path === '/' ? '/index.html' : path)
      if (name === null) return false
      const file = fileOf(name)
      const accepts = String(incoming.headers['accept-encoding'] ?? '')
      const accepted = /\bbr\b/.test(accepts) ? 'br' : /\bgzip\b/.test(accepts) ? 'gzip' : null
      const encoding = file.isCompressible ? accepted : null
      const etag = `"${file.etag}${encoding ? `-${encoding}` : ''}"`
      const fields = { ...headersOf(incoming), ...file.headers, etag }
      if (incoming.headers['if-none-match']?.includes(etag)) {
        outgoing.writeHead(304, fields)
        outgoing.end()
        return true
      }
      const body = encoding ? await compress(file, encoding) : file.plain
      outgoing.writeHead(200, {
        ...fields,
        'content-length': body.length,
        ...(encoding && { 'content-encoding': encoding }),
      })
      outgoing.end(incoming.method === 'HEAD' ? undefined : body)
      return true
    },
  }
}
