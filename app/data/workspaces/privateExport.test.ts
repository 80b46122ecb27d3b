import { expect, it } from 'vitest'
import type { Workspace } from '../../../wire/people.ts'
import { privateExportOf } from './privateExport.ts'

const from = '2026-03-02T10:00:00Z'
const workspace: Workspace = { id: 'a', name: 'Harbour' }

it('an export contains private conversations from the stated time on', () => {
  const allowed: Workspace = { ...workspace, allows_private_export: true, private_export_from: from }
  expect(privateExportOf(workspace)).toBe(false)
  expect(privateExportOf(allowed, Date.parse(from) - 1)).toBe(from)
  expect(privateExportOf(allowed, Date.parse(from))).toBe(true)
  expect(privateExportOf({ ...workspace, allows_private_export: true })).toBe(true)
})
