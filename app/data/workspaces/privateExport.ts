import type { Workspace } from '../../../wire/people.ts'

/** Whether the export of an owner contains private conversations; a time: from then on. */
export function privateExportOf(workspace: Workspace, now = Date.now()): boolean | string {
  const { allows_private_export: isAllowed = false, private_export_from: from } = workspace
  return isAllowed && from !== undefined && Date.parse(from) > now ? from : isAllowed
}
