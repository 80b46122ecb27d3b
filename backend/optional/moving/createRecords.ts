import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../runtime/durableFiles.ts'
import { isUuid } from '../../runtime/isUuid.ts'

/** The state of one export or import for each workspace, stored as JSON in the folder of the workspace. */
export interface Records<T> {
  get(workspace: string): T | null
  all(): [workspace: string, record: T][]
  set(workspace: string, record: T): Promise<void>
  /** Also removes files of the workspace by their names. */
  remove(workspace: string, ...files: string[]): Promise<void>
  removeFiles(workspace: string, ...files: string[]): Promise<void>
  /** The path of a file of a workspace. */
  pathOf(workspace: string, file: string): string
}

/** Reads the records of a folder. A record that is damaged is left out. */
export async function createRecords<T>(dir: string, name: string): Promise<Records<T>> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const records = new Map<string, T>()
  const pathOf = (workspace: string, file: string): string => join(dir, workspace, file)
  for (const workspace of await readdir(dir)) {
    if (!isUuid(workspace)) continue
    try {
      records.set(workspace, JSON.parse(await readFile(pathOf(workspace, `${name}.json`), 'utf8')) as T)
    } catch (error) {
      if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  const removeFiles = async (workspace: string, ...files: string[]): Promise<void> => {
    for (const file of files) await rm(pathOf(workspace, file), { force: true })
  }
  return {
    get: (workspace) => records.get(workspace) ?? null,
    all: () => [...records],
    async set(workspace, record) {
      records.set(workspace, record)
      await mkdir(join(dir, workspace), { recursive: true, mode: 0o700 })
      await replaceFile(pathOf(workspace, `${name}.json`), JSON.stringify(record))
    },
    async remove(workspace, ...files) {
      records.delete(workspace)
      await removeFiles(workspace, `${name}.json`, ...files)
    },
    removeFiles,
    pathOf,
  }
}
