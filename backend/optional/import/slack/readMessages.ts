import {
  isObject,
  objectOf,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import type { ExportedContent, ExportedMessage } from '../ExportReader.ts'
import type { ExportFiles } from '../openExport.ts'
import { reactionKey } from '../reactionKey.ts'
import { readJsonArray } from '../readJsonArray.ts'
import { authorOf, classifyMessage, hasReplies, isBroadcast, rootTimeOf } from './classifyMessage.ts'
import { isSlackId, type SlackChannel } from './readLists.ts'
import { filesOf } from './slackFiles.ts'
import { microsecondsOf, tsOf } from './slackTimes.ts'

const maxReactions = 50
const maxReactingPeople = 1_000

/**
 * The messages of a channel, in the order of its day files.
 * @param folders the paths of stored files by their ids
 * @param onSkipped called with the reason why an entry is left out
 */
export async function* readMessages(
  files: ExportFiles,
  channel: SlackChannel,
  { folders, onSkipped }: { folders: ReadonlyMap<string, string>; onSkipped(reason: string): void },
): AsyncGenerator<ExportedMessage> {
  const pins = new Map(channel.pins.map((pin) => [microsecondsOf(pin.ts), pin]))
  for (const day of channel.days) {
    for await (const element of readDay(files, day)) {
      if ('problem' in element) {
        onSkipped(element.problem)
        continue
      }
      const fields = element.value
      const at = isObject(fields) ? microsecondsOf(fields['ts']) : null
      if (at === null) onSkipped('without a time')
      else yield readMessage(fields as Fields, { at, channel, folders, pin: pins.get(at) })
    }
  }
}

/** The entries of a file. One whose bytes are damaged ends with a problem. */
async function* readDay(files: ExportFiles, day: string): ReturnType<typeof readJsonArray> {
  try {
    yield* readJsonArray(await files.open(day))
  } catch {
    yield { problem: 'damaged' }
  }
}

function readMessage(
  fields: Fields,
  o: {
    at: number
    channel: SlackChannel
    folders: ReadonlyMap<string, string>
    pin: SlackChannel['pins'][number] | undefined
  },
): ExportedMessage {
  const { at, channel, folders, pin } = o
  const rootAt = rootTimeOf(fields)
  const rootAuthor = textOf(fields['parent_user_id'])
  const contents = contentsOf(fields)
  return {
    channel: channel.key,
    key: tsOf(at),
    at,
    author: authorOf(fields),
    root:
      rootAt === null
        ? null
        : { key: tsOf(rootAt), at: rootAt, author: isSlackId(rootAuthor) ? rootAuthor : null },
    isInChannel: rootAt === null || isBroadcast(fields),
    ...contents,
    editedAt: microsecondsOf(objectOf(fields['edited'])['ts']),
    reactions: objectsOf(fields['reactions'], maxReactions).flatMap(readReaction),
    files: filesOf(fields, folders),
    pin:
      pin === undefined
        ? isPinned(fields, channel.key)
          ? { by: null, at: null }
          : null
        : { by: pin.user, at: pin.at * 1_000_000 },
  }
}

function contentsOf(fields: Fields): { content: ExportedContent; contentAsRoot?: ExportedContent } {
  const content = classifyMessage(fields, hasReplies(fields))
  return content.kind === 'text' || content.kind === 'deleted'
    ? { content }
    : { content, contentAsRoot: classifyMessage(fields, true) }
}

function readReaction(reaction: Fields): ExportedMessage['reactions'] {
  const emoji = reactionKey(textOf(reaction['name']))
  if (emoji === null || !Array.isArray(reaction['users'])) return []
  const users = reaction['users'].slice(0, maxReactingPeople)
  return [{ emoji, people: users.filter((user) => typeof user === 'string') }]
}

function isPinned(fields: Fields, channel: string): boolean {
  return Array.isArray(fields['pinned_to']) && fields['pinned_to'].includes(channel)
}
