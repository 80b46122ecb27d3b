import type { Client } from 'pg'
import { ExportError } from './ExportError.ts'
import type { Plan } from './planImport.ts'
import type { Survey } from './surveyExport.ts'

/** The bytes of files that an import adds to the storage of the workspace, and the bytes for which its quota has room. */
export interface ImportStorage {
  neededBytes: number
  /** Files behind links, as far as the export has their sizes. They are needed too if they are fetched. */
  linkedBytes: number
  freeBytes: number
}

/** Compares the files of an export with the quota of the workspace. Files that an interrupted import has stored already are not needed again. */
export async function readStorage(
  database: Pick<Client, 'query'>,
  workspaceId: string,
  { survey, plan }: { survey: Survey; plan: Plan },
): Promise<ImportStorage> {
  let [neededBytes, linkedBytes] = [0, 0]
  const channels: string[] = []
  for (const found of survey.surveys) {
    const target = plan.channels.get(found.channel.key)
    if (target === undefined || target.isComplete) continue
    neededBytes += found.storedBytes
    linkedBytes += found.linkedBytes
    channels.push(target.id)
  }
  const { rows } = await database.query<{ free: number; stored: number }>(
    `select (w.max_bytes - w.used_bytes)::float8 as free, coalesce((
       select sum(s.used_bytes) from public.channel_storage s where s.channel_id = any ($2)), 0)::float8 as stored
     from public.workspace_storage w where w.workspace_id = $1`,
    [workspaceId, channels],
  )
  const { free, stored } = rows[0]!
  return { neededBytes: Math.max(0, neededBytes - stored), linkedBytes, freeBytes: Math.max(0, free) }
}

/** Throws ExportError if the files exceed the quota. */
export function requireStorage(
  { neededBytes, linkedBytes, freeBytes }: ImportStorage,
  fetchesFiles: boolean,
): void {
  const bytes = neededBytes + (fetchesFiles ? linkedBytes : 0)
  if (bytes > 0 && bytes > freeBytes)
    throw new ExportError(
      `The files need ${megabytes(bytes)}, and the storage of the workspace has room for ${megabytes(freeBytes)}. An owner can raise its limit, or leave out channels.`,
    )
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000).toLocaleString('en')} MB`
