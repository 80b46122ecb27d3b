import type { CustomEmoji } from '../../../wire/emoji.ts'
import { LIMITS } from '../../../wire/limits.ts'
import { runQuery } from '../client/runQuery.ts'
import type { ListSource } from '../sync/watchVersionedList.ts'

/** The custom emoji of the workspace. */
export const customEmojiSource: ListSource<'customEmoji'> = {
  name: 'customEmoji',
  versionOf: ({ emoji_version: version }) => version?.toString(),
  fetch: ({ workspace }) =>
    runQuery<CustomEmoji[]>((client) =>
      client
        .from('custom_emoji')
        .select('id, workspace_id, name, aliases, author_id')
        .eq('workspace_id', workspace?.id ?? '')
        .order('name')
        .limit(LIMITS.customEmoji),
    ),
}
