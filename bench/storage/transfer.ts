import { openHttpConnection, requireSuccess, type HttpConnection } from './httpConnection.ts'

const MiB = 1024 * 1024

/** The chunk size of Supabase's clients. */
const chunkBytes = 6 * MiB

interface TransferTarget {
  url: string
  headers: Record<string, string>
}

export interface DownTask extends TransferTarget {
  kind: 'down'
  path: string
  /** Concurrent downloads, each on its own connection. */
  concurrency: number
}

export interface UpTask extends TransferTarget {
  kind: 'up'
  method: string
  path: string
  /** Bytes of the file. */
  size: number
  framing: 'raw' | 'form' | 'tus' | 'tus in pieces'
  /** For TUS: `Upload-Metadata`. */
  metadata?: string
}

/** The result of one or several concurrent transfers. */
export interface Transfer {
  /** In 10⁶ bytes a second, of all together. */
  rate: number
  /** Milliseconds until the first byte of a body; the maximum of all. */
  firstByteMs: number
}

const headOf = (
  { url, headers }: TransferTarget,
  method: string,
  path: string,
  more: Record<string, string | number> = {},
): string => {
  const connections = Object.entries({ Host: new URL(url).host, ...headers, ...more })
  return `${method} ${path} HTTP/1.1\r\n${connections.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** Downloads the same file concurrently. */
export async function download(task: DownTask): Promise<Transfer> {
  const connections = await Promise.all(
    Array.from({ length: task.concurrency }, () => openHttpConnection(task.url)),
  )
  try {
    const begun = performance.now()
    const got = await Promise.all(
      connections.map((connection) => connection.request(headOf(task, 'GET', task.path))),
    )
    const seconds = (performance.now() - begun) / 1000
    const bytes = got.map(requireSuccess).reduce((sum, one) => sum + one.bytes, 0)
    return { rate: bytes / 1e6 / seconds, firstByteMs: Math.max(...got.map((one) => one.firstByteMs)) }
  } finally {
    for (const connection of connections) connection.close()
  }
}

/** Uploads one file. */
export async function upload(task: UpTask): Promise<Transfer> {
  const connection = await openHttpConnection(task.url)
  try {
    const begun = performance.now()
    if (task.framing === 'raw') await sendRaw(connection, task)
    else if (task.framing === 'form') await sendForm(connection, task)
    else await sendResumable(connection, task, task.framing === 'tus' ? task.size : chunkBytes)
    const ms = performance.now() - begun
    return { rate: task.size / 1e3 / ms, firstByteMs: ms }
  } finally {
    connection.close()
  }
}

async function sendRaw(connection: HttpConnection, task: UpTask): Promise<void> {
  const head = headOf(task, task.method, task.path, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': task.size,
  })
  requireSuccess(await connection.request(head, { length: task.size }))
}

async function sendForm(connection: HttpConnection, task: UpTask): Promise<void> {
  const boundary = 'linnet-bench-5f0c2b7e'
  const part = (name: string): string => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`
  const before = `${part('cacheControl')}\r\n\r\n3600\r\n${part('')}; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const after = `\r\n--${boundary}--\r\n`
  const head = headOf(task, task.method, task.path, {
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': before.length + task.size + after.length,
  })
  requireSuccess(await connection.request(head, { length: task.size, before, after }))
}

async function sendResumable(connection: HttpConnection, task: UpTask, maxChunkBytes: number): Promise<void> {
  const about = {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': task.size,
    'Upload-Metadata': task.metadata ?? '',
    'Content-Length': 0,
  }
  const made = requireSuccess(await connection.request(headOf(task, 'POST', task.path, about)))
  const address = /^location: *(\S+)/im.exec(made.head)![1]!
  for (let offset = 0; offset < task.size; offset += maxChunkBytes) {
    const length = Math.min(maxChunkBytes, task.size - offset)
    const head = headOf(task, 'PATCH', address.replace(/^https?:\/\/[^/]+/, ''), {
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': offset,
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': length,
    })
    requireSuccess(await connection.request(head, { length }))
  }
}
