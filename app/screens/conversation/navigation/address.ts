/** What of the messenger an address shows. */
export interface Address {
  channelId: string | null
  /** The thread that stands beside its conversation, or in its place. */
  rootId: string | null
  /** The message that the conversation opens around. */
  messageId: string | null
  /** The files of the channel, or without one of the workspace. */
  files: boolean
}

/** Reads `/c/:channel`, `/c/:channel/t/:root`, `/c/:channel/m/:message`, `/c/:channel/files`, `/files`; else nulls. */
export function addressOf(path: string): Address {
  const [, channelId, kind, id] = /^\/c\/([^/]+)(?:\/([tm])\/([^/]+)|\/files)?\/?$/.exec(path) ?? []
  return {
    channelId: channelId ?? null,
    rootId: kind === 't' ? (id ?? null) : null,
    messageId: kind === 'm' ? (id ?? null) : null,
    files: /^(\/c\/[^/]+)?\/files\/?$/.test(path),
  }
}
