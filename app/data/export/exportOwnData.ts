import type { Message } from '../../../wire/messages.ts'
import { filePath } from '../files/filePath.ts'
import { archivePath } from './archivePath.ts'
import { messagesPage, indexPage, type ChannelSummary } from './htmlPages.ts'
import { RefusedRequest, requestPath, requestRows } from './requestRows.ts'
import { ownDataTables } from './ownDataTables.ts'

export interface ExportProgress {
  messages: number
  files: number
  bytes: number
}

export interface ExportOptions {
  profileId: string
  name: string
  /** Renders texts as HTML, with the renderer of messages. */
  renderBodies: (bodies: string[]) => Promise<string[]>
  onProgress: (progress: ExportProgress) => void
  /** Called when a request has failed. It resolves when the request should be sent again. */
  waitAfterFailure: () => Promise<void>
  signal: AbortSignal
}

interface ExportEntry {
  name: string
  input: string | AsyncIterable<Uint8Array<ArrayBuffer>>
}

/** The entry of the manifest for each file of the archive, with the hash as `sha256sum` computes it. */
interface ManifestFile {
  path: string
  bytes: number
  sha256: string
}

/** A row of messages, with its files. */
interface OwnMessage extends Pick<Message, 'id' | 'body' | 'created_at' | 'edited_at'> {
  attachments: { id: string; channel_id: string; name: string; type: string; size: number }[]
}

/** The number of messages of one page, which is in memory at once. */
const PAGE_MESSAGES = 200
/**
 * The number of rows of one request. A server may return fewer, as its setting `max_rows` demands: an empty page is the
 * last one.
 */
const PAGE_ROWS = 500

/**
 * Generates the files of the archive of a user's own data. Each is generated when the archive is written, so that one
 * page of messages is in memory at once. A failed request is sent again after `waitAfterFailure`. The last file is
 * `manifest.json`. It has the counts of rows, and size and SHA-256 of every other file.
 */
export async function* exportOwnData(options: ExportOptions): AsyncGenerator<ExportEntry> {
  const { profileId, signal, onProgress, renderBodies } = options
  const { sha256 } = await import('@noble/hashes/sha2.js')
  const { bytesToHex } = await import('@noble/hashes/utils.js')
  const counts: Record<string, number> = {}
  const manifest: ManifestFile[] = []
  /** Files whose bytes the server does not have, or no longer has. */
  const missing: string[] = []
  const stored = new Set<string>()
  const progress: ExportProgress = { messages: 0, files: 0, bytes: 0 }

  const retried = async <T>(request: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await request()
      } catch (error) {
        if (signal.aborted || error instanceof RefusedRequest) throw error
        await options.waitAfterFailure()
      }
    }
  }
  const rowsOf = <T>(query: string) => retried(() => requestRows<T>(query, signal))
  const text = (path: string, content: string): ExportEntry => {
    const bytes = new TextEncoder().encode(content)
    manifest.push({ path, bytes: bytes.length, sha256: bytesToHex(sha256(bytes)) })
    return { name: path, input: content }
  }
  const json = (path: string, value: unknown) => text(path, `${JSON.stringify(value, null, 2)}\n`)

  /** Reads the bytes of a stored file. After a failure it continues where it stopped. */
  async function* bytesOf(path: string, stored: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const hash = sha256.create()
    let size = 0
    for (;;) {
      try {
        const response = await requestPath(
          `storage/v1/object/authenticated/files/${stored}`,
          signal,
          size > 0 ? { range: `bytes=${size}-` } : {},
        )
        const reader = response.body!.getReader()
        for (;;) {
          const { done, value } = await reader.read()
          if (done) break
          hash.update(value)
          size += value.length
          progress.bytes += value.length
          onProgress({ ...progress })
          yield value
        }
        break
      } catch (error) {
        if (signal.aborted) throw error
        if (error instanceof RefusedRequest) {
          missing.push(path)
          break
        }
        await options.waitAfterFailure()
      }
    }
    manifest.push({ path, bytes: size, sha256: bytesToHex(hash.digest()) })
  }

  for (const [name, query, order] of ownDataTables(profileId)) {
    const rows: unknown[] = []
    for (;;) {
      const page = await rowsOf(`${query}&order=${order}&limit=${PAGE_ROWS}&offset=${rows.length}`)
      if (page.length === 0) break
      rows.push(...page)
    }
    counts[name] = rows.length
    yield json(`data/${name}.json`, rows)
  }

  const channels: ChannelSummary[] = []
  counts['messages'] = 0
  counts['files'] = 0
  let offset = 0
  for (;;) {
    const page = await rowsOf<{ id: string; name: string | null; kind: string }>(
      `channels?select=id,name,kind&order=id&limit=${PAGE_ROWS}&offset=${offset}`,
    )
    for (const channel of page) {
      const summary: ChannelSummary = { name: channel.name ?? channel.kind, messages: 0, pages: [] }
      let after = ''
      for (;;) {
        const messages = await rowsOf<OwnMessage>(
          `messages?author_id=eq.${profileId}&channel_id=eq.${channel.id}&select=*,attachments(id:upload_id,channel_id:upload_channel_id,name,type,size)${after}&order=created_at,id&limit=${PAGE_MESSAGES}`,
        )
        const last = messages.at(-1)
        if (!last) break
        const path = `messages/${channel.id}-${summary.pages.length + 1}`
        summary.pages.push(`${path}.html`)
        summary.messages += messages.length
        counts['messages'] += messages.length
        progress.messages += messages.length
        onProgress({ ...progress })
        yield json(`${path}.json`, messages)
        const bodies = await renderBodies(messages.map(({ body }) => body))
        yield text(
          `${path}.html`,
          messagesPage(
            summary.name,
            messages.map((message, i) => ({ ...message, html: bodies[i]! })),
          ),
        )
        for (const message of messages) {
          for (const { id, channel_id, name } of message.attachments) {
            counts['files'] += 1
            const file = archivePath(id, name)
            // A forwarded file belongs to several messages.
            if (stored.has(file)) continue
            stored.add(file)
            progress.files += 1
            yield { name: file, input: bytesOf(file, filePath(channel_id, id, 'file')) }
          }
        }
        const at = encodeURIComponent(`"${last.created_at}"`)
        after = `&or=(created_at.gt.${at},and(created_at.eq.${at},id.gt.${last.id}))`
      }
      if (summary.messages > 0) channels.push(summary)
    }
    if (page.length === 0) break
    offset += page.length
  }
  yield text('index.html', indexPage(options.name, channels, counts))
  const created_at = new Date().toISOString()
  yield {
    name: 'manifest.json',
    input: `${JSON.stringify({ version: 1, profile_id: profileId, created_at, counts, missing, files: manifest }, null, 2)}\n`,
  }
}
