import { convertChannel, type ChannelContext, type ChannelReceipt } from './convertChannel.ts'
import type { ArchiveRow } from '../archive/ArchiveRow.ts'
import type { PlannedChannel } from './planImport.ts'
import { timestampOf } from './slackIds.ts'
import type { ChannelSurvey } from './surveyExport.ts'

/** A member of a workspace creates at most 500 channels: see `app.limit_created_channels` of the schema. */
const maxCreated = 400

/**
 * The rows of an export: people, then each channel with its members, messages and read markers. Each row comes after those that
 * it references.
 * @param onChannel called when a channel is complete
 */
export async function* convertExport(
  context: ChannelContext & { workspaceId: string },
  onChannel: (receipt: ChannelReceipt) => void,
): AsyncGenerator<ArchiveRow> {
  yield* convertPeople(context)
  const creators = new Map<string, number>()
  for (const { creator } of context.survey.channels) creators.set(creator, (creators.get(creator) ?? 0) + 1)
  for (const found of context.survey.surveys) {
    const { channel } = found
    const target = context.plan.channels.get(channel.id)!
    const receipt = createReceipt(found, target)
    const creator = (creators.get(channel.creator) ?? 0) > maxCreated ? undefined : channel.creator
    yield* convertChannelRow(found, target, context, creator)
    yield* convertChannel(channel, target, context, receipt)
    onChannel(receipt)
  }
}

function* convertPeople({
  plan,
  workspaceId,
  now,
}: Pick<ChannelContext, 'plan' | 'now'> & { workspaceId: string }): Generator<ArchiveRow> {
  const createdAt = timestampOf(now)
  for (const { profileId, name, title, isMatched } of plan.people.values()) {
    if (isMatched) continue
    yield {
      table: 'profiles',
      row: { id: profileId, kind: 'imported', name, title: title || null, created_at: createdAt },
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
  }
}

function* convertChannelRow(
  { channel, lastAt }: ChannelSurvey,
  target: PlannedChannel,
  { plan, workspaceId, now }: Pick<ChannelContext, 'plan' | 'now'> & { workspaceId: string },
  creator: string | undefined,
): Generator<ArchiveRow> {
  const past = (at: number): string => timestampOf(Math.min(at, now)) ?? timestampOf(now)!
  const isNamed = target.name !== null
  yield {
    table: 'channels',
    row: {
      id: target.id,
      workspace_id: workspaceId,
      kind: target.kind,
      name: target.name,
      topic: isNamed ? channel.topic : '',
      description: isNamed ? channel.description : '',
      direct_key: target.directKey,
      archived_at: channel.isArchived ? past(lastAt ?? channel.createdAt * 1_000_000) : null,
      created_by: plan.people.get(creator ?? '')?.profileId ?? null,
      created_at: past(channel.createdAt * 1_000_000),
    },
  }
}

function createReceipt({ channel }: ChannelSurvey, target: PlannedChannel): ChannelReceipt {
  return {
    channel: channel.id,
    name: target.name ?? channel.name,
    read: 0,
    written: 0,
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
