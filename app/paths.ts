/**
 * The pages of the app by their paths. `:name` stands for a parameter. No other file of the app contains a path of a
 * page.
 */
export const PATHS = {
  home: '/',
  channel: '/c/:channelId',
  message: '/c/:channelId/m/:messageId',
  file: '/c/:channelId/m/:messageId/f/:fileId',
  thread: '/c/:channelId/t/:rootId',
  channelFiles: '/c/:channelId/files',
  activity: '/activity',
  catchUp: '/unread',
  direct: '/direct',
  drafts: '/drafts',
  files: '/files',
  people: '/people',
  person: '/people/:personId',
  saved: '/saved',
  scheduled: '/scheduled',
  search: '/search',
  share: '/share',
  threads: '/threads',
  you: '/you',
  settings: '/settings',
  profileSettings: '/settings/profile',
  securitySettings: '/settings/security',
  notificationSettings: '/settings/notifications',
  appearanceSettings: '/settings/appearance',
  exportSettings: '/settings/export',
  leaveWorkspace: '/settings/leave',
  about: '/settings/about',
  generalSettings: '/settings/general',
  peopleSettings: '/settings/people',
  channelSettings: '/settings/channels',
  joiningSettings: '/settings/joining',
  permissionSettings: '/settings/permissions',
  botSettings: '/settings/bots',
  bot: '/settings/bots/:botId',
  storageSettings: '/settings/storage',
  imports: '/settings/imports',
  retentionSettings: '/settings/retention',
  moderation: '/settings/moderation',
  auditLog: '/settings/audit',
  serverHealth: '/settings/health',
  serverSettings: '/settings/server',
  workspaceExport: '/settings/archive',
  emojiSettings: '/settings/emoji',
  groupSettings: '/settings/groups',
  setup: '/setup',
  signIn: '/sign-in',
  forgottenPassword: '/forgotten',
  newPassword: '/new-password',
  confirm: '/confirm',
  device: '/device',
  callback: '/auth/callback',
  join: '/join',
  consent: '/oauth/consent',
} as const

export type PageName = keyof typeof PATHS

type ParamIn<Pattern extends string> = Pattern extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamIn<`/${Rest}`>
  : Pattern extends `${string}:${infer Name}`
    ? Name
    : never

/** The parameters of the path of a page. */
export type PageParams<Name extends PageName> = Record<ParamIn<(typeof PATHS)[Name]>, string>

/** A page whose path has no parameters. */
export type PlainPageName = {
  [Name in PageName]: ParamIn<(typeof PATHS)[Name]> extends never ? Name : never
}[PageName]

/** A page of the settings whose path has no parameters. */
export type SettingsPageName = {
  [Name in PlainPageName]: (typeof PATHS)[Name] extends `/settings/${string}` ? Name : never
}[PlainPageName]

/** A page with the parameters of its path. */
export type PageOfPath = { [Name in PageName]: { name: Name; params: PageParams<Name> } }[PageName]

/** The path of a page. Parameters are encoded. */
export function pathTo<Name extends PageName>(
  name: Name,
  ...[params]: Name extends PlainPageName ? [] : [PageParams<Name>]
): string {
  return fillIn(PATHS[name], params)
}

/** The page of a channel that anyone can read without signing in. It is built separately and is no page of the app. */
export function webPath(channelId: string): string {
  return fillIn('/w/:channelId', { channelId })
}

function fillIn(pattern: string, params: Readonly<Record<string, string>> | undefined): string {
  return pattern.replaceAll(/:(\w+)/g, (_, param: string) => encodeURIComponent(params?.[param] ?? ''))
}

const patterns = Object.entries(PATHS).map(([name, pattern]) => ({
  name,
  pattern: new RegExp(`^${pattern.replace(/\/$/, '').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`),
}))

/** The page of a path, as `location.pathname` has it; null if there is none. */
export function findPage(path: string): PageOfPath | null {
  for (const { name, pattern } of patterns) {
    const match = pattern.exec(path)
    if (match) return createPage(name, match.groups ?? {})
  }
  return null
}

function createPage(name: string, groups: Record<string, string>): PageOfPath | null {
  try {
    const params = Object.entries(groups).map(([param, value]) => [param, decodeURIComponent(value)])
    return { name, params: Object.fromEntries(params) } as PageOfPath
  } catch {
    // A malformed encoding.
    return null
  }
}

/** The conversation that a page displays. */
export interface ConversationInPath {
  channelId: string | null
  /** The open thread. */
  rootId: string | null
  /** The message to open the conversation around. */
  messageId: string | null
}

/** The conversation, thread and message in a path; null for missing parts. */
export function conversationIn(path: string): ConversationInPath {
  return { channelId: null, rootId: null, messageId: null, ...findPage(path)?.params }
}

/** An address of this app. Empty values are left out. */
export function formatAddress(path: string, query: Record<string, string | null>): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value ? [[name, value]] : [],
  )
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

/** The path of a conversation, or of a thread in it. */
export function conversationPath(channelId: string, rootId: string | null): string {
  return rootId === null ? pathTo('channel', { channelId }) : pathTo('thread', { channelId, rootId })
}

/** The identifiers of a message. */
interface MessageIds {
  id: string
  channel_id: string
}

/** The address of a message: its conversation, opened at the message. */
export function messageAddress({ id, channel_id }: MessageIds): string {
  return pathTo('message', { channelId: channel_id, messageId: id })
}

/** The address of a reply: its thread, opened at the reply. */
export function replyAddress(
  reply: MessageIds & {
    thread_root: string | null
    thread_seq: number | null
  },
): string {
  const thread = pathTo('thread', { channelId: reply.channel_id, rootId: reply.thread_root ?? reply.id })
  return formatAddress(thread, { at: String(reply.thread_seq ?? '') })
}

/** The address of the sign-in page, from which the person continues to `next`, an address of this app. */
export function signInAddress(next: string): string {
  return formatAddress(PATHS.signIn, { next: next === PATHS.home ? null : next })
}
