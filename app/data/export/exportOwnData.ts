import type { Message } from '../../../wire/messages.ts'
import { filePath } from '../files/filePath.ts'
import { createFilePaths } from './createFilePaths.ts'
import { ownDataTables } from './ownDataTables.ts'
import { readContext, sectionsAround, type ContextMessage } from './readContext.ts'
import { renderIndex, renderOwnPage, type ChannelSummary } from './renderOwnPages.ts'
import { RefusedRequest, requestJson, requestPath } from './requestJson.ts'
import { idsOfDetails, showContext, showOwn, showSections, type OwnMessage } from './showMessages.ts'

export interface ExportProgress {
  messages: number
  files: number
  bytes: number
}

export interface ExportOptions {
  profileId: string
  name: string
  /** The standard emoji of a name such as `tada`; null if there is none. */
  emojiNamed: (name: string) => string | null
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

interface ExportedChannel {
  id: string
  name: string | null
  kind: string
}

/** The number of messages of one page, which is in memory at once. */
const PAGE_MESSAGES = 200
/**
 * The number of rows of one request. A server may return fewer, as its setting `max_rows` demands: an empty page is the
 * last one.
 */
const PAGE_ROWS = 500
/** The number of ids that `messages_by_ids` accepts. */
const IDS = 50
/** The names in the title of a conversation without a name. A group has at most 12 people. */
const TITLE_NAMES = 12

/**
 * Generates the files of the archive of a user's own data. Each is generated when the archive is written, so that one
 * page of messages is in memory at once. A failed request is sent again after `waitAfterFailure`. The last file is
 * `manifest.json`. It has the counts of rows, and size and SHA-256 of every other file.
 */
export async function* exportOwnData(options: ExportOptions): AsyncGenerator<ExportEntry> {
  const { profileId, signal, onProgress, emojiNamed } = options
  const { sha256 } = await import('@noble/hashes/sha2.js')
  const { bytesToHex } = await import('@noble/hashes/utils.js')
  const counts: Record<string, number> = {}
  const manifest: ManifestFile[] = []
  /** Files whose bytes the server does not have, or no longer has. */
  const missing: string[] = []
  const stored = new Set<string>()
  const pathOf = createFilePaths()
  /** Names of people by id, of groups by id after "&" and of channels by id after "#": see `HtmlNames`. */
  const names = new Map<string, string>()
  names.set(profileId, options.name)
  const nameOf = (who: string) => names.get(who)
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
  const rowsOf = <T>(query: string) => retried(() => requestJson<T[]>(query, signal))
  /** All rows of a query with an order. */
  async function* allRows<T>(query: string): AsyncGenerator<T> {
    for (let offset = 0; ;) {
      const page = await rowsOf<T>(`${query}&limit=${PAGE_ROWS}&offset=${offset}`)
      if (page.length === 0) return
      yield* page
      offset += page.length
    }
  }
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
    for await (const row of allRows(`${query}&order=${order}`)) rows.push(row)
    counts[name] = rows.length
    yield json(`data/${name}.json`, rows)
  }

  const conversations: ExportedChannel[] = []
  for await (const channel of allRows<ExportedChannel>('channels?select=id,name,kind&order=id')) {
    conversations.push(channel)
    if (channel.name !== null) names.set(`#${channel.id}`, channel.name)
  }
  for await (const { id, name } of allRows<{ id: string; name: string }>('profiles?select=id,name&order=id'))
    names.set(id, name || 'Former member')
  for await (const { id, name } of allRows<{ id: string; name: string }>(
    'user_groups?select=id,name&order=id',
  ))
    names.set(`&${id}`, name)

  async function titleOf({ id, name }: ExportedChannel): Promise<string> {
    if (name !== null) return `#${name}`
    const members = await rowsOf<{ profile_id: string }>(
      `channel_members?channel_id=eq.${id}&select=profile_id&order=profile_id&limit=${TITLE_NAMES}`,
    )
    const others = members.filter(({ profile_id }) => profile_id !== profileId)
    return others.map(({ profile_id }) => nameOf(profile_id) ?? 'Former member').join(', ') || options.name
  }

  /** Messages with reactions and pins, as far as the user can read them. */
  async function messagesByIds(ids: readonly string[]): Promise<Map<string, Message>> {
    const found = new Map<string, Message>()
    for (let at = 0; at < ids.length; at += IDS) {
      const query = `rpc/messages_by_ids?ids=${encodeURIComponent(`{${ids.slice(at, at + IDS).join()}}`)}`
      const { messages } = await retried(() => requestJson<{ messages: Message[] }>(query, signal))
      for (const message of messages) found.set(message.id, message)
    }
    return found
  }

  const channels: ChannelSummary[] = []
  counts['messages'] = 0
  counts['files'] = 0
  for (const channel of conversations) {
    const summary: ChannelSummary = { name: '', messages: 0, pages: [] }
    let after = ''
    for (;;) {
      const messages = await rowsOf<OwnMessage>(
        `messages?author_id=eq.${profileId}&channel_id=eq.${channel.id}&select=*,attachments(id:upload_id,channel_id:upload_channel_id,name,type,size)${after}&order=created_at,id&limit=${PAGE_MESSAGES}`,
      )
      const last = messages.at(-1)
      if (!last) break
      if (summary.pages.length === 0) summary.name = await titleOf(channel)
      const places = sectionsAround(messages)
      const context = await readContext(channel.id, places, new Set(messages.map(({ id }) => id)), (query) =>
        rowsOf<ContextMessage>(query),
      )
      const details = await messagesByIds(idsOfDetails(messages, context))
      const sections = showSections(places, [
        ...messages.map((message) => showOwn(message, details, pathOf)),
        ...context.map((message) => showContext(message, details, profileId)),
      ])
      const path = `messages/${channel.id}-${summary.pages.length + 1}`
      const earlier = summary.pages.at(-1) ?? null
      summary.pages.push(`${path}.html`)
      summary.messages += messages.length
      counts['messages'] += messages.length
      progress.messages += messages.length
      onProgress({ ...progress })
      yield json(`${path}.json`, {
        channel,
        messages: messages.map((message) => ({
          ...message,
          attachments: message.attachments.map((file) => ({ ...file, path: pathOf(file.id, file.name) })),
        })),
        context: context.map((message) =>
          Object.assign({ author: nameOf(message.author_id) ?? 'Former member' }, message),
        ),
      })
      yield text(
        `${path}.html`,
        renderOwnPage({
          name: options.name,
          channel: summary.name,
          sections,
          names: { nameOf, emojiNamed },
          earlier,
        }),
      )
      for (const message of messages) {
        for (const { id, channel_id, name } of message.attachments) {
          counts['files'] += 1
          // A forwarded file belongs to several messages.
          if (stored.has(id)) continue
          stored.add(id)
          progress.files += 1
          const file = pathOf(id, name)
          yield { name: file, input: bytesOf(file, filePath(channel_id, id, 'file')) }
        }
      }
      const at = encodeURIComponent(`"${last.created_at}"`)
      after = `&or=(created_at.gt.${at},and(created_at.eq.${at},id.gt.${last.id}))`
    }
    if (summary.messages > 0) channels.push(summary)
  }
  channels.sort((a, b) => a.name.localeCompare(b.name))
  yield text('index.html', renderIndex(options.name, channels, counts))
  const created_at = new Date().toISOString()
  yield {
    name: 'manifest.json',
    input: `${JSON.stringify({ version: 2, profile_id: profileId, created_at, counts, missing, files: manifest }, null, 2)}\n`,
  }
}
