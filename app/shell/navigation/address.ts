/** What a path of the messenger shows. */
export interface Address {
  channelId: string | null
  /** The open thread. */
  rootId: string | null
  /** The message to open the conversation around. */
  messageId: string | null
  /** The files of the channel, or of the workspace if there is no channel. */
  isFilesPage: boolean
}

/**
 * Parses `/c/:channel`, `/c/:channel/t/:root`, `/c/:channel/m/:message`, `/c/:channel/files` and `/files`; null for
 * missing parts.
 */
export function addressOf(path: string): Address {
  const [, channelId, kind, id] = /^\/c\/([^/]+)(?:\/([tm])\/([^/]+)|\/files)?\/?$/.exec(path) ?? []
  return {
    channelId: channelId ?? null,
    rootId: kind === 't' ? (id ?? null) : null,
    messageId: kind === 'm' ? (id ?? null) : null,
    isFilesPage: /^(\/c\/[^/]+)?\/files\/?$/.test(path),
  }
}
