import type { Commands } from '../../../wire/commands.ts'
import type { Workspace } from '../../../wire/people.ts'
import '../failures/joiningFailures.ts'
import { withoutValue } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { uploadPicture } from '../files/upload/uploadPicture.ts'
import { getClientSession } from '../session/clientSession.ts'
import { callForWorkspace, type WorkspaceArgs } from './callForWorkspace.ts'
import { noWorkspace, workspaceId } from './workspace.ts'

/** Stores the workspace of a response in this tab; others receive an event. */
export function storeWorkspace(workspace: Workspace): void {
  const event = { event: 'workspace_changed' as const, payload: { workspace } }
  getClientSession()?.store.dispatch({ type: 'userEventReceived', event })
}

function stored(outcome: Outcome<Workspace>): Outcome<Workspace> {
  if (outcome.ok) storeWorkspace(outcome.value)
  return outcome
}

/** Renames the workspace, 1–80 characters. */
export async function renameWorkspace(name: string): Promise<Outcome<Workspace>> {
  return stored(await callForWorkspace('rename_workspace', { name }))
}

/** Uploads an image (WebP or JPEG) as the icon of the workspace. */
export async function changeWorkspaceIcon(image: Blob): Promise<Outcome> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  const uploaded = await uploadPicture(workspace, image)
  return uploaded.ok ? setWorkspaceIcon(uploaded.value) : uploaded
}

export function removeWorkspaceIcon(): Promise<Outcome> {
  return setWorkspaceIcon(null)
}

async function setWorkspaceIcon(icon: string | null): Promise<Outcome> {
  return withoutValue(stored(await callForWorkspace('set_workspace_icon', { icon })))
}

/** Changes options of the workspace; those that are not given stay as they are. */
export async function setWorkspaceOptions(
  options: WorkspaceArgs<'set_workspace_options'>,
): Promise<Outcome<Workspace>> {
  return stored(await callForWorkspace('set_workspace_options', options))
}

/** Requires a second factor of everybody after a number of days; null: of nobody. */
export async function setSecondFactorRequirement(
  days: Commands['set_second_factor_requirement']['args']['days'],
): Promise<Outcome<Workspace>> {
  return stored(await callForWorkspace('set_second_factor_requirement', { days }))
}

/** Sets whether owners and admins authenticate again before dangerous commands. */
export async function setReauthentication(on: boolean): Promise<Outcome<Workspace>> {
  return stored(await callForWorkspace('set_reauthentication', { on }))
}

/** Sets whether an export for owners contains private and direct conversations. */
export async function setPrivateExport(allowed: boolean): Promise<Outcome<Workspace>> {
  return stored(await callForWorkspace('set_private_export', { allowed }))
}

/** Sets who may put public channels on the web. */
export async function setWebChannels(
  by: Commands['set_web_channels']['args']['by'],
): Promise<Outcome<Workspace>> {
  return stored(await callForWorkspace('set_web_channels', { by }))
}

/** Sets the language of newcomers, mails and invitations; null: each person's own. */
export async function setWorkspaceLanguage(
  language: Commands['set_workspace_language']['args']['language'],
): Promise<Outcome<Workspace>> {
  return stored(await callForWorkspace('set_workspace_language', { language }))
}
