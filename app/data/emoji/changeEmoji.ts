import { i18n } from '@lingui/core'
import { CUSTOM_EMOJI_NAME, type CustomEmoji } from '../../../wire/emoji.ts'
import { LIMITS } from '../../../wire/limits.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { registerSentences, success, type Outcome } from '../failures/failures.ts'
import { StorageError, uploadAvatar } from '../files/storageClient.ts'
import { pictureFailure } from '../files/upload/uploadPicture.ts'
import { storeWorkspace } from '../workspaces/workspaceSettings.ts'
import { noWorkspace, workspaceId } from '../workspaces/workspace.ts'

registerSentences({
  bad_emoji_name: () =>
    i18n._(
      'Names can have 2 to 32 characters: lowercase letters from a to z, digits, - and _. Up to 10 other names.',
    ),
  bad_emoji_image: () => i18n._('Choose a PNG, GIF or WebP image of up to 256 KB.'),
  emoji_name_standard: () => i18n._('A standard emoji has this name. Choose another.'),
  emoji_name_taken: () => i18n._('Another custom emoji has this name. Choose another.'),
  too_many_emoji: () => i18n._('This workspace has 500 custom emoji. Delete one to add another.'),
})

/** A name of a custom emoji from what was typed: without colons, in lower case, spaces as underscores. */
export function toEmojiName(typed: string): string {
  return typed.trim().replaceAll(/^:|:$/g, '').toLowerCase().replaceAll(/\s+/g, '_')
}

/** Names from a list that is separated by commas or spaces. */
export function toEmojiNames(typed: string): string[] {
  return [
    ...new Set(
      typed
        .split(/[\s,]+/)
        .map(toEmojiName)
        .filter(Boolean),
    ),
  ]
}

/** Whether the names have the form that the server demands. */
export function areEmojiNames(names: readonly string[]): boolean {
  return names.length <= LIMITS.emojiAliases + 1 && names.every((name) => CUSTOM_EMOJI_NAME.test(name))
}

/** Uploads an image and adds it as an emoji. `id` identifies both, so that a repeated attempt adds one. */
export async function addEmoji(
  id: Uuid,
  image: Blob,
  names: { name: string; aliases: string[] },
): Promise<Outcome<CustomEmoji>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  try {
    await uploadAvatar(`${workspace}/${id}`, image)
  } catch (error) {
    // An earlier attempt has stored it.
    const exists = error instanceof StorageError && (error.status === 409 || error.statusCode === '409')
    if (!exists) return { ok: false, failure: pictureFailure(error) }
  }
  const outcome = await callCommand('add_emoji', { id, workspace, ...names })
  if (!outcome.ok) return outcome
  storeWorkspace(outcome.value.workspace)
  return success(outcome.value.emoji)
}

/** Changes the names of an emoji. A previous name remains as an alias. */
export async function changeEmoji(
  id: Uuid,
  names: { name: string; aliases: string[] },
): Promise<Outcome<CustomEmoji>> {
  const outcome = await callCommand('change_emoji', { id, ...names })
  if (!outcome.ok) return outcome
  storeWorkspace(outcome.value.workspace)
  return success(outcome.value.emoji)
}

export async function deleteEmoji(id: Uuid): Promise<Outcome> {
  const outcome = await callCommand('delete_emoji', { id })
  if (!outcome.ok) return outcome
  storeWorkspace(outcome.value.workspace)
  return success(undefined)
}
