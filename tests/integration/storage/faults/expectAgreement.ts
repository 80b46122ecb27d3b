import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { StorageServer } from '../support/startStorage.ts'

/** Names of the files in one of the folders of a byte store. */
export const filesIn = (dir: string, folder: 'incoming' | 'journal' | 'objects' | 'resumable'): string[] =>
  readdirSync(join(dir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

/** The versions that rows name. */
export const versionsIn = async ({ sql }: StorageServer): Promise<string[]> =>
  (await sql.query<{ version: string }>('select version from storage.objects')).rows.map((row) => row.version)

/** Expects a file for each row and a row for each file. */
export async function expectAgreement(server: StorageServer): Promise<void> {
  expect(filesIn(server.dir, 'incoming')).toEqual([])
  expect(filesIn(server.dir, 'journal')).toEqual([])
  expect(filesIn(server.dir, 'objects').toSorted()).toEqual((await versionsIn(server)).toSorted())
}
