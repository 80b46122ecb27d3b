import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
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

/** Vite's names for files whose content their name tells apart. */
const hashed = /^\/assets\/.+-[\w-]{8,}\.\w+$/

/** Bytes below which compressing gains nothing. */
const worthCompressing = 1024

interface AppFile {
  plain: Buffer
  brotli: Buffer | null
  gzip: Buffer | null
  etag: string
  headers: Record<string, string>
}

async function load(path: string, name: string): Promise<AppFile> {
  const plain = await readFile(path)
  const type = types[extname(name)] ?? 'application/octet-stream'
  const worth = compressible.test(type) && plain.length >= worthCompressing
  const [brotli, gzipped] = worth
    ? await Promise.all([
        promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
        promisify(gzip)(plain, { level: 9 }),
      ])
    : [null, null]
  return {
    plain,
    brotli,
    gzip: gzipped,
    etag: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
    headers: {
      'content-type': type,
      'cache-control': hashed.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(worth && { vary: 'Accept-Encoding' }),
    },
  }
}

function namesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/')}`)
}

export interface AppFiles {
  /** Answers with the file of that path, or the page for a navigation; false where neither is meant. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse, path: string): Promise<boolean>
}

/**
 * Serves a built application. The names are read once, so that no request can name anything else on the
 * disk; contents are read and compressed when first asked for, and kept.
 * @param headers go with every file
 */
export function createAppFiles(dir: string, headers: Record<string, string>): AppFiles {
  const names = new Set(namesIn(dir))
  const files = new Map<string, Promise<AppFile>>()
  const fileOf = (name: string): Promise<AppFile> => {
    let file = files.get(name)
    if (!file) {
      file = load(join(dir, name), name)
      files.set(name, file)
      file.catch(() => files.delete(name))
    }
    return file
  }

  const nameFor = (incoming: IncomingMessage, path: string): string | null => {
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return null
    if (names.has(path)) return path
    const navigates = (incoming.headers.accept ?? '').includes('text/html')
    return navigates && !path.startsWith('/assets/') && names.has('/index.html') ? '/index.html' : null
  }

  return {
    async answer(incoming, outgoing, path) {
      const name = nameFor(incoming, path === '/' ? '/index.html' : path)
      if (name === null) return false
      const file = await fileOf(name).catch((error: NodeJS.ErrnoException) => {
        // A build that was made meanwhile took it away: not there, rather than a mishap of ours.
        if (error.code === 'ENOENT') return null
        throw error
      })
      if (!file) return false
      const accepts = String(incoming.headers['accept-encoding'] ?? '')
      const [encoding, body] =
        file.brotli && /\bbr\b/.test(accepts)
          ? ['br', file.brotli]
          : file.gzip && /\bgzip\b/.test(accepts)
            ? ['gzip', file.gzip]
            : [null, file.plain]
      const etag = `"${file.etag}${encoding ? `-${encoding}` : ''}"`
      const fields = { ...headers, ...file.headers, etag }
      if (incoming.headers['if-none-match']?.includes(etag)) {
        outgoing.writeHead(304, fields)
        outgoing.end()
        return true
      }
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
