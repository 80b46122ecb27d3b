import {
  objectOf,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import { emojiNamed } from '../../../../supabase/functions/_shared/emojiNamed.ts'
import type { ExportedContent, ExportedMessage } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import type { ExportFiles } from '../openExport.ts'
import { embedsOf, pollResultOf, type DiscordEmbed, type PollResult } from './discordEmbeds.ts'
import { filesOf } from './discordFiles.ts'
import type { DiscordLayout } from './planChannels.ts'
import { isThread, readEntries, type DiscordChannel } from './readChannels.ts'
import { createdAtOf, idOf, microsecondsOf } from './snowflakes.ts'
import {
  authorOf,
  customEmojiName,
  maxInlineEmoji,
  maxMentions,
  maxReactingPeople,
  maxReactions,
  nameOf,
  type DiscordSurvey,
} from './surveyMessages.ts'

/** The content of a message as it is stored until it is converted. */
export interface DiscordText {
  content: string
  /** The name of the thread that begins with the message. */
  title?: string
  /** The title stands before the text. */
  isPost?: boolean
  mentions?: { id: string; name: string }[]
  /** The custom emoji of the text, whose names stand in it in place of their ids. */
  emoji?: { id: string; name: string }[]
  embeds?: DiscordEmbed[]
  poll?: PollResult
  /** The message to which it replies. */
  quote?: { channel: string; key: string }
  forwarded?: { content: string; channel: string; key: string }
}

/** Notices of Discord. */
const notices = new Set([
  'Call',
  'ChannelIconChange',
  'ChannelNameChange',
  'ChannelPinnedMessage',
  'GuildMemberJoin',
  'RecipientAdd',
  'RecipientRemove',
  'ThreadCreated',
  'ThreadStarterMessage',
])
/** Messages whose type the exporter writes as a number: replies, commands, results of polls. Others are notices. */
const textTypes = new Set(['0', '19', '20', '23', '46'])

function isNotice(type: string): boolean {
  return notices.has(type) || (/^\d+$/.test(type) && !textTypes.has(type))
}

const maxNameCharacters = 80

export interface ReadContext {
  files: ExportFiles
  channels: ReadonlyMap<string, DiscordChannel>
  survey: DiscordSurvey
  layout: DiscordLayout
  onSkipped(channel: string, reason: string): void
  onNote(sentence: string, count: number): void
}

/** The messages of all channels and threads. */
export async function* readMessages(context: ReadContext): AsyncGenerator<ExportedMessage> {
  const { channels, layout, survey } = context
  for (const channel of channels.values()) {
    const place = layout.placeOf(channel.id)!
    if (place.root !== null && !survey.starters.has(channel.id)) {
      context.onNote('threads lack their first message, and begin with their name', 1)
      yield createRoot(channel, { key: place.root.key, at: place.root.at, channel: place.channel })
    }
    const onSkipped = (reason: string): void => context.onSkipped(place.channel, reason)
    for await (const entry of readEntries(context.files, channel, onSkipped))
      yield createMessage(entry, channel, context)
  }
}

/** The name of a thread in place of its first message. */
function createRoot(
  thread: DiscordChannel,
  { key, at, channel }: { key: string; at: number; channel: string },
): ExportedMessage {
  const fields: DiscordText = { content: '', title: thread.name }
  return {
    channel,
    key,
    at,
    author: { key: 'bot/discord/', name: 'Discord' },
    root: null,
    isInChannel: true,
    content: { kind: 'text', fields },
    editedAt: null,
    reactions: [],
    files: [],
    pin: null,
  }
}

function createMessage(
  { id, path, fields }: { id: string; path: string; fields: Fields },
  channel: DiscordChannel,
  context: ReadContext,
): ExportedMessage {
  const { survey, layout } = context
  const { channel: target, root } = layout.placeOf(channel.id)!
  const at = microsecondsOf(fields['timestamp']) ?? createdAtOf(id)
  const isRoot = root?.key === id
  const text = textFieldsOf(id, channel, fields, context)
  const content = contentOf(fields, text, channel)
  return {
    channel: target,
    key: id,
    // Damaged times would place a reply before its first message.
    at: root === null ? at : Math.max(at, root.at),
    author: authorOf(objectOf(fields['author'])),
    root: root === null || isRoot ? null : { key: root.key, at: root.at, author: null },
    isInChannel: root === null || isRoot,
    content,
    ...(content.kind === 'text' ? {} : { contentAsRoot: { kind: 'text' as const, fields: text } }),
    editedAt: microsecondsOf(fields['timestampEdited']),
    reactions: reactionsOf(fields, survey, context.onNote),
    files:
      content.kind === 'text'
        ? filesOf(context.files, path, id, { message: fields, embeds: text.embeds ?? [] })
        : [],
    pin: fields['isPinned'] === true ? { by: null, at: null } : null,
  }
}

function contentOf(fields: Fields, text: DiscordText, channel: DiscordChannel): ExportedContent {
  const type = textOf(fields['type'])
  if (isNotice(type) && text.title === undefined) return noticeOf(type, fields, channel)
  const isFilled = (key: string): boolean => Array.isArray(fields[key]) && fields[key].length > 0
  const hasContent =
    text.content !== '' ||
    [text.title, text.forwarded, text.embeds, text.poll].some((one) => one !== undefined) ||
    ['attachments', 'stickers'].some(isFilled)
  return hasContent ? { kind: 'text', fields: text } : { kind: 'skipped', reason: 'without content' }
}

/** Notices of a thread are left out: they would concern its channel. */
function noticeOf(type: string, fields: Fields, channel: DiscordChannel): ExportedContent {
  const skipped: ExportedContent = { kind: 'skipped', reason: 'notice of Discord' }
  if (isThread(channel)) return skipped
  if (type === 'GuildMemberJoin' || type === '7') return { kind: 'system', note: { event: 'joined' } }
  if (type === 'RecipientRemove' || type === '2') {
    const [person] = objectsOf(fields['mentions'], 1)
    const isOwn = person !== undefined && person['id'] === objectOf(fields['author'])['id']
    return isOwn ? { kind: 'system', note: { event: 'left' } } : skipped
  }
  if (type === 'ChannelNameChange' || type === '4') {
    // The exporter writes a sentence around the name.
    const name = lineOf(
      textOf(fields['content']).replace(/^Changed the channel name: |^Changed the channel name\.$/, ''),
      maxNameCharacters,
    )
    return name === '' ? skipped : { kind: 'system', note: { event: 'renamed', name } }
  }
  return skipped
}

function textFieldsOf(
  id: string,
  channel: DiscordChannel,
  fields: Fields,
  context: ReadContext,
): DiscordText {
  const { layout } = context
  const type = textOf(fields['type'])
  const reference = objectOf(fields['reference'])
  const referenced = layout.messageAt(
    idOf(reference['channelId']) || channel.id,
    idOf(reference['messageId']),
  )
  const started = layout.startedBy(channel.id, id)
  const forwarded = objectOf(fields['forwardedMessage'])
  const isForward = reference['type'] === 'Forward' || 'content' in forwarded
  const isReply = (type === 'Reply' || type === '19') && !isForward
  const embeds = embedsOf(fields)
  const poll = pollResultOf(fields)
  const mentions = objectsOf(fields['mentions'], maxMentions).map((one) => ({
    id: idOf(one['id']),
    name: nameOf(one),
  }))
  const emoji = objectsOf(fields['inlineEmojis'], maxInlineEmoji)
    .map((one) => ({ id: idOf(one['id']), name: textOf(one['name']) }))
    .filter((one) => one.id !== '')
  return {
    content: started !== null && isNotice(type) ? '' : textOf(fields['content']),
    ...(started === null ? {} : { title: started.name, isPost: started.id === channel.id }),
    ...(mentions.length > 0 ? { mentions } : {}),
    ...(emoji.length > 0 ? { emoji } : {}),
    ...(embeds.length > 0 ? { embeds } : {}),
    ...(poll === null ? {} : { poll }),
    ...(isReply && referenced !== null ? { quote: referenced } : {}),
    ...(isForward
      ? {
          forwarded: {
            content: textOf(forwarded['content']),
            channel: referenced?.channel ?? '',
            key: referenced?.key ?? '',
          },
        }
      : {}),
  }
}

function reactionsOf(
  fields: Fields,
  survey: DiscordSurvey,
  onNote: ReadContext['onNote'],
): ExportedMessage['reactions'] {
  return objectsOf(fields['reactions'], maxReactions).flatMap((reaction) => {
    const people = objectsOf(reaction['users'], maxReactingPeople).flatMap(
      (person) => idOf(person['id']) || [],
    )
    const count = Number(reaction['count'])
    if (people.length === 0) {
      onNote(
        'reactions have no people in the export, and are left out',
        Number.isSafeInteger(count) && count > 0 ? count : 1,
      )
      return []
    }
    const emoji = reactionOf(objectOf(reaction['emoji']), survey)
    return emoji === null ? [] : [{ emoji, people }]
  })
}

/** The characters of a standard emoji, or the name of a custom one. */
function reactionOf(emoji: Fields, survey: DiscordSurvey): string | null {
  const id = idOf(emoji['id'])
  const name = textOf(emoji['name'])
  if (id !== '') return `:${survey.emoji.get(id)?.name ?? customEmojiName(name, id)}:`
  const found = emojiNamed(textOf(emoji['code'])) ?? name
  return found === '' ||
    found.length > 32 ||
    /[\s\p{Cc}\w:]/u.test(found.replace(/^[\d#*]\uFE0F?\u20E3$/u, ''))
    ? null
    : found
}
