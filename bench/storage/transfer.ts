import { openLine, requireSuccess, type Line } from './exchange.ts'

const MiB = 1024 * 1024

/** Bytes of a piece, as clients of the contract send them. */
const piece = 6 * MiB

interface Way {
  url: string
  headers: Record<string, string>
}

export interface DownTask extends Way {
  kind: 'down'
  path: string
  /** Downloads at the same time, each on a line of its own. */
  concurrency: number
}

export interface UpTask extends Way {
  kind: 'up'
  method: string
  path: string
  /** Bytes of the file. */
  size: number
  framing: 'raw' | 'form' | 'tus' | 'tus in pieces'
  /** For TUS: what `Upload-Metadata` says. */
  metadata?: string
}

/** What one transfer, or several at a time, came to. */
export interface Transfer {
  /** In 10⁶ bytes a second, of all together. */
  rate: number
  /** Milliseconds until the first byte of an answer's body; the latest of all. */
  firstByteMs: number
}

const headOf = (
  { url, headers }: Way,
  method: string,
  path: string,
  more: Record<string, string | number> = {},
): string => {
  const lines = Object.entries({ Host: new URL(url).host, ...headers, ...more })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** Fetches the same file as often as said at once. */
export async function download(task: DownTask): Promise<Transfer> {
  const lines = await Promise.all(Array.from({ length: task.concurrency }, () => openLine(task.url)))
  try {
    const begun = performance.now()
    const got = await Promise.all(lines.map((line) => line.ask(headOf(task, 'GET', task.path))))
    const seconds = (performance.now() - begun) / 1000
    const bytes = got.map(requireSuccess).reduce((sum, one) => sum + one.bytes, 0)
    return { rate: bytes / 1e6 / seconds, firstByteMs: Math.max(...got.map((one) => one.firstByteMs)) }
  } finally {
    for (const line of lines) line.close()
  }
}

/** Uploads one file. */
export async function upload(task: UpTask): Promise<Transfer> {
  const line = await openLine(task.url)
  try {
    const begun = performance.now()
    if (task.framing === 'raw') await sendRaw(line, task)
    else if (task.framing === 'form') await sendForm(line, task)
    else await sendResumable(line, task, task.framing === 'tus' ? task.size : piece)
    const ms = performance.now() - begun
    return { rate: task.size / 1e3 / ms, firstByteMs: ms }
  } finally {
    line.close()
  }
}

async function sendRaw(line: Line, task: UpTask): Promise<void> {
  const head = headOf(task, task.method, task.path, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': task.size,
  })
  requireSuccess(await line.ask(head, { length: task.size }))
}

async function sendForm(line: Line, task: UpTask): Promise<void> {
  const boundary = 'linnet-bench-5f0c2b7e'
  const part = (name: string): string => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`
  const before = `${part('cacheControl')}\r\n\r\n3600\r\n${part('')}; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const after = `\r\n--${boundary}--\r\n`
  const head = headOf(task, task.method, task.path, {
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': before.length + task.size + after.length,
  })
  requireSuccess(await line.ask(head, { length: task.size, before, after }))
}

async function sendResumable(line: Line, task: UpTask, most: number): Promise<void> {
  const about = {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': task.size,
    'Upload-Metadata': task.metadata ?? '',
    'Content-Length': 0,
  }
  const made = requireSuccess(await line.ask(headOf(task, 'POST', task.path, about)))
  const address = /^location: *(\S+)/im.exec(made.head)![1]!
  for (let offset = 0; offset < task.size; offset += most) {
    const length = Math.min(most, task.size - offset)
    const head = headOf(task, 'PATCH', address.replace(/^https?:\/\/[^/]+/, ''), {
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': offset,
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': length,
    })
    requireSuccess(await line.ask(head, { length }))
  }
}
