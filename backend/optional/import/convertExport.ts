import { convertChannel, type ChannelContext, type ChannelReceipt } from './convertChannel.ts'
import type { ArchiveRow } from '../archive/ArchiveRow.ts'
import type { Pictures } from './findPictures.ts'
import { lineOf } from './lineOf.ts'
import type { PlannedChannel } from './planImport.ts'
import { timestampOf } from './timestampOf.ts'
import { countRows, increment, type ChannelSurvey } from './surveyExport.ts'

/** A member of a workspace creates at most 500 channels: see `app.limit_created_channels` of the schema. */
const maxCreated = 400

/** The rows of the people, custom emoji and channels of an export, without the messages and members of the channels. */
export function* convertPlan(context: PlanContext): Generator<ArchiveRow> {
  yield* convertPeople(context)
  yield* convertEmoji(context)
  const creators = new Map<string, number>()
  for (const { creator } of context.reader.channels) increment(creators, creator)
  for (const found of context.survey.surveys) {
    const { creator, key } = found.channel
    const target = context.plan.channels.get(key)
    if (target && !target.isComplete)
      yield convertChannelRow(
        found,
        target,
        context,
        (creators.get(creator) ?? 0) > maxCreated ? '' : creator,
      )
  }
}

/**
 * The rows of the messages and members of all channels, after the rows of `convertPlan`. The rows of a message come together.
 * @param onChannel called when a channel is complete
 */
export async function* convertMessages(
  context: ChannelContext,
  onChannel: (receipt: ChannelReceipt) => void,
): AsyncGenerator<ArchiveRow[]> {
  for (const found of context.survey.surveys) {
    const target = context.plan.channels.get(found.channel.key)
    if (target === undefined) continue
    const receipt = createReceipt(found, target)
    if (!target.isComplete) yield* convertChannel(found.channel, target, context, receipt)
    onChannel(receipt)
  }
}

type PlanContext = Pick<ChannelContext, 'reader' | 'plan' | 'now' | 'survey'> & {
  workspaceId: string
  /** The record of the import; see `beginImport`. */
  importId: string | null
  pictures: Pictures
  /** The author of the custom emoji. */
  ownerId: string
}

function* convertPeople({
  reader,
  plan,
  workspaceId,
  importId,
  pictures,
  now,
}: PlanContext): Generator<ArchiveRow> {
  const createdAt = timestampOf(now)
  for (const [key, { profileId, name, title, isMatched }] of plan.people) {
    if (isMatched) continue
    const avatar = pictures.avatars.has(profileId) ? avatarName(profileId) : null
    yield {
      table: 'profiles',
      row: { id: profileId, kind: 'imported', name, title: title || null, avatar, created_at: createdAt },
    }
    // Without an account nobody can use the membership. It makes the profile visible to the members.
    yield {
      table: 'workspace_members',
      row: {
        workspace_id: workspaceId,
        profile_id: profileId,
        role: 'member',
        state: 'deactivated',
        deactivated_at: createdAt,
        created_at: createdAt,
      },
    }
    const email = reader.people.get(key)?.email ?? ''
    yield {
      table: 'imported_people',
      row: {
        profile_id: profileId,
        workspace_id: workspaceId,
        import_id: importId,
        email: isStorableEmail(email) ? email : null,
      },
    }
  }
}

/** The name of the picture of a person in the bucket `avatars`. */
export const avatarName = (profileId: string): string => `${profileId}/imported`

/** See `imported_people` of the schema. */
const isStorableEmail = (email: string): boolean =>
  email.length >= 3 && email.length <= 255 && email === email.toLowerCase() && lineOf(email, 255) === email

function* convertEmoji({
  pictures,
  workspaceId,
  ownerId,
  importId,
  now,
}: PlanContext): Generator<ArchiveRow> {
  for (const { id, name, aliases } of pictures.emoji)
    yield {
      table: 'custom_emoji',
      row: {
        id,
        workspace_id: workspaceId,
        name,
        aliases,
        author_id: ownerId,
        created_at: timestampOf(now),
        import_id: importId,
      },
    }
}

function convertChannelRow(
  { channel, firstAt, lastAt }: ChannelSurvey,
  target: PlannedChannel,
  { plan, workspaceId, importId, now }: PlanContext,
  creator: string,
): ArchiveRow {
  const past = (at: number): string => timestampOf(Math.min(at, now)) ?? timestampOf(now)!
  const createdAt = channel.createdAt || (firstAt ?? now)
  const isNamed = target.name !== null
  return {
    table: 'channels',
    row: {
      id: target.id,
      workspace_id: workspaceId,
      kind: target.kind,
      name: target.name,
      topic: isNamed ? channel.topic : '',
      description: isNamed ? channel.description : '',
      direct_key: target.directKey,
      import_id: importId,
      archived_at: channel.isArchived ? past(lastAt ?? createdAt) : null,
      created_by: plan.people.get(creator)?.profileId ?? null,
      created_at: past(createdAt),
    },
  }
}

function createReceipt(found: ChannelSurvey, target: PlannedChannel): ChannelReceipt {
  const { channel, read } = found
  return {
    channel: channel.key,
    name: target.name ?? channel.name,
    kind: target.kind,
    read: target.isComplete ? read : 0,
    written: 0,
    present: target.isComplete ? countRows(found) : 0,
    skipped: {},
    files: 0,
    missingFiles: [],
    missingFileCount: 0,
    longTexts: 0,
    createdRoots: 0,
    futureTimes: 0,
    emptyTexts: 0,
  }
}
