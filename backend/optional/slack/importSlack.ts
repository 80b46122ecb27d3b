import type { Client } from 'pg'
import { convertMessages, convertPlan } from './convertExport.ts'
import type { ChannelReceipt, StoredFile } from './convertChannel.ts'
import { openExport } from './openExport.ts'
import { planImport, type Plan } from './planImport.ts'
import { readTarget } from './readTarget.ts'
import type { SlackFile } from './slackFiles.ts'
import { surveyExport, type Survey } from './surveyExport.ts'

export interface SlackImport {
  /** A ZIP or a folder. */
  path: string
  database: Pick<Client, 'query'>
  /** The id or name of the workspace; null for the only one. */
  workspace: string | null
  /** The address of the application. */
  site: string
}

/** What an import has done, or would do. */
export interface SlackReceipt {
  workspaceId: string
  people: { matched: number; imported: number }
  channels: ChannelReceipt[]
  renamed: Plan['renamed']
  separateConversations: number
  rows: Record<string, number>
  /** Files behind links. */
  linkedFiles: number
  /** Custom emoji of reactions that the workspace does not have, with the number of reactions. */
  customEmoji: Record<string, number>
  huddles: number
  canvases: number
  sharedChannels: string[]
  unknownFolders: string[]
}

/** Converts an export without writing anything. Throws SlackExportError. */
export async function planSlackImport(o: SlackImport): Promise<SlackReceipt> {
  const files = await openExport(o.path)
  try {
    const target = await readTarget(o.database, o.workspace, o.site)
    const survey = await surveyExport(files)
    const plan = planImport(survey, target)
    const receipt = createReceipt(survey, plan, target.workspaceId)
    const storeFile = async (
      _channel: string,
      _upload: string,
      { source, size }: SlackFile,
    ): Promise<StoredFile> => {
      if (source.kind === 'stored') return { size: files.sizes.get(source.path) ?? 0 }
      if (source.kind === 'missing') return { problem: source.reason }
      return { size: size ?? 0 }
    }
    const context = {
      files,
      survey,
      plan,
      site: target.site,
      workspaceId: target.workspaceId,
      now: Date.now() * 1_000,
      storeFile,
      storeText: async (_channel: string, _upload: string, text: string) => Buffer.byteLength(text),
      onCustomEmoji(name: string) {
        if (!target.emojiNames.has(name.slice(1, -1)))
          receipt.customEmoji[name] = (receipt.customEmoji[name] ?? 0) + 1
      },
    }
    const count = (table: string): void => {
      receipt.rows[table] = (receipt.rows[table] ?? 0) + 1
    }
    for (const { table } of convertPlan(context)) count(table)
    for await (const { table } of convertMessages(context, (channel) => receipt.channels.push(channel)))
      count(table)
    return receipt
  } finally {
    files.close()
  }
}

function createReceipt(survey: Survey, plan: Plan, workspaceId: string): SlackReceipt {
  const people = new Map(Array.from(plan.people.values(), (person) => [person.profileId, person]))
  const matched = Array.from(people.values()).filter(({ isMatched }) => isMatched).length
  const sum = (count: (one: Survey['surveys'][number]) => number): number =>
    survey.surveys.reduce((total, one) => total + count(one), 0)
  return {
    workspaceId,
    people: { matched, imported: people.size - matched },
    channels: [],
    renamed: plan.renamed,
    separateConversations: plan.separateConversations,
    rows: {},
    linkedFiles: sum(({ linkedFiles }) => linkedFiles),
    customEmoji: {},
    huddles: sum(({ huddles }) => huddles),
    canvases: survey.canvases,
    sharedChannels: survey.channels.filter(({ isShared }) => isShared).map(({ name }) => name),
    unknownFolders: survey.unknownFolders,
  }
}
