import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { Client } from 'pg'
import type { ArchiveRow } from '../../backend/optional/archive/ArchiveRow.ts'
import { beginImport, finishImport } from '../../backend/optional/archive/importRecord.ts'
import { importRows } from '../../backend/optional/archive/importRows.ts'
import { enterDemo, goTo, laptopScreen, person, sendMessage, type Demo } from './support.ts'
import { test } from './sharedServer.ts'

let demo: Demo
let ann: Page
const faults: string[] = []

test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser, createDemo }) => {
  demo = await createDemo()
  // The page can send a read marker for the channel at the moment in which it is removed.
  const allowed = [/404 .*\/rpc\/mark_read/]
  ann = await person(browser, faults, { ...laptopScreen, allowed })
  await enterDemo(ann, demo, 'ann')
  await importPier()
})

test.afterAll(async () => {
  await ann.context().close()
  await demo.end()
  expect(faults).toEqual([])
})

/** Imports a public channel with a message by a person without an account. */
async function importPier(): Promise<void> {
  const database = new Client({ connectionString: demo.server.dbUrl, pipeline: true })
  await database.connect()
  try {
    const { rows } = await database.query<{ workspace: string; ann: string }>(
      `select m.workspace_id as workspace, p.id as ann from auth.users u join public.profiles p on p.user_id = u.id
       join public.workspace_members m on m.profile_id = p.id where u.email = $1 limit 1`,
      [`ann@${demo.domain}`],
    )
    const workspaceId = rows[0]!.workspace
    const [nia, channel] = [randomUUID(), randomUUID()]
    const importId = await beginImport(database, workspaceId, {
      product: 'slack',
      sourceName: 'Pier',
      importedBy: rows[0]!.ann,
    })
    const at = '2020-01-01T00:00:00Z'
    async function* content(): AsyncGenerator<ArchiveRow> {
      yield { table: 'profiles', row: { id: nia, kind: 'imported', name: 'Nia Pryce' } }
      yield {
        table: 'imported_people',
        row: { profile_id: nia, workspace_id: workspaceId, import_id: importId, email: 'nia@pier.example' },
      }
      yield {
        table: 'workspace_members',
        row: {
          workspace_id: workspaceId,
          profile_id: nia,
          role: 'member',
          state: 'deactivated',
          deactivated_at: at,
        },
      }
      const place = { workspace_id: workspaceId, import_id: importId, created_by: nia }
      yield { table: 'channels', row: { id: channel, kind: 'public', name: 'pier', ...place } }
      yield {
        table: 'messages',
        row: {
          id: randomUUID(),
          channel_id: channel,
          seq: 1,
          history_seq: 1,
          rev: 1,
          author_id: nia,
          body: 'The ferry leaves at nine',
          created_at: at,
        },
      }
      for (const profile of [nia, rows[0]!.ann])
        yield { table: 'channel_members', row: { channel_id: channel, profile_id: profile } }
    }
    await importRows({
      database,
      services: { storeObject: async () => false, createAccount: async ({ id }) => id },
      workspaceId,
      rows: content(),
      files: (async function* (): AsyncGenerator<never> {})(),
    })
    await finishImport(database, importId, { channels: [{ name: 'pier', read: 1, written: 1 }] })
  } finally {
    await database.end()
  }
}

test('an owner reads the receipt of an import', async () => {
  await goTo(ann, '/settings/imports')
  const row = ann.getByRole('listitem').filter({ hasText: 'Slack: Pier' })
  await expect(row).toContainText('1 channel or conversation · 1 person without an account')
  const downloading = ann.waitForEvent('download')
  await row.getByRole('button', { name: 'Download receipt' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('slack-import.json')
  expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toEqual({
    channels: [{ name: 'pier', read: 1, written: 1 }],
  })
})

test('an owner gives the messages of an imported person to a member', async () => {
  const people = ann.getByRole('region', { name: 'Imported people' })
  await expect(people).toContainText('nia@pier.example')
  await people.getByRole('button', { name: 'Transfer messages: Nia Pryce' }).click()
  const dialog = ann.getByRole('dialog', { name: 'Transfer the messages of Nia Pryce to a member' })
  await dialog.getByRole('combobox', { name: 'Member' }).selectOption({ label: 'Tomás Ferreira' })
  await expect(dialog).toContainText('hasn’t confirmed the email address of the export')
  await expect(dialog).toContainText('becomes the author of 1 message')
  await test.info().attach('claim', { body: await ann.screenshot(), contentType: 'image/png' })
  await dialog.getByRole('button', { name: 'Transfer messages' }).click()
  await expect(dialog).toBeHidden()
  await expect(people).toContainText('is getting the messages')
  const database = new Client({ connectionString: demo.server.dbUrl, pipeline: true })
  await database.connect()
  await database.query('call app.merge_claimed_people()')
  await database.end()
  await goTo(ann, '/')
  await goTo(ann, '/settings/imports')
  await expect(people).toContainText('There are none.')
})

test('an owner undoes an import after seeing what people have written since', async () => {
  await ann.reload()
  await goTo(ann, '/')
  await ann.getByRole('link', { name: /^pier/ }).click()
  await expect(ann.getByText('The ferry leaves at nine')).toBeVisible()
  await sendMessage(ann, '#pier', 'At ten today')
  await goTo(ann, '/settings/imports')
  const row = ann.getByRole('listitem').filter({ hasText: 'Slack: Pier' })
  await row.getByRole('button', { name: 'Undo: Slack: Pier' }).click()
  const dialog = ann.getByRole('dialog', { name: 'Undo the import from Slack?' })
  await expect(dialog).toContainText('1 channel or conversation, 2 messages')
  await expect(dialog).toContainText('1 of these messages was written here after the import, by 1 person.')
  await test.info().attach('undo', { body: await ann.screenshot(), contentType: 'image/png' })
  await dialog.getByRole('button', { name: 'Undo import' }).click()
  await expect(dialog).toBeHidden()
  await expect(row).toContainText('are still being removed')
  await expect(row.getByRole('button', { name: 'Undo: Slack: Pier' })).toHaveCount(0)
  await expect(ann.getByRole('link', { name: /^pier/ })).toHaveCount(0)
})
