/** What of the messenger an address shows. */
export interface Address {
  channelId: string | null
  /** The thread that stands beside its conversation, or in its place. */
  rootId: string | null
  /** The message that the conversation opens around. */
  messageId: string | null
}

/** Reads `/c/:channel`, `/c/:channel/t/:root` and `/c/:channel/m/:message`; nulls for any other path. */
export function addressOf(path: string): Address {
  const [, channelId, kind, id] = /^\/c\/([^/]+)(?:\/([tm])\/([^/]+))?\/?$/.exec(path) ?? []
  return {
    channelId: channelId ?? null,
    rootId: kind === 't' ? (id ?? null) : null,
    messageId: kind === 'm' ? (id ?? null) : null,
  }
}
