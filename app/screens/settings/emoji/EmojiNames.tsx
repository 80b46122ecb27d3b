import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { CustomEmoji } from '../../../../wire/emoji.ts'
import { changeEmoji, toEmojiName, toEmojiNames } from '../../../data/emoji/changeEmoji.ts'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { EmojiNameFields } from './EmojiNameFields.tsx'

/** Changes the name and the aliases of a custom emoji. */
export function EmojiNames({ emoji, onClose }: { emoji: CustomEmoji; onClose: () => void }) {
  const [name, setName] = useState(emoji.name)
  const [aliases, setAliases] = useState(emoji.aliases.join(', '))
  return (
    <FormDialog
      title={i18n._('Edit :{name}:', { name: emoji.name })}
      action={i18n._('Save')}
      run={() => changeEmoji(emoji.id, { name: toEmojiName(name), aliases: toEmojiNames(aliases) })}
      isDisabled={!name.trim()}
      fields={{ bad_emoji_name: 'name', emoji_name_standard: 'name', emoji_name_taken: 'name' }}
      onClose={onClose}
    >
      <EmojiNameFields
        name={name}
        nameHint={i18n._(
          'The current name remains as another name, so that earlier messages still show the emoji.',
        )}
        aliases={aliases}
        onName={setName}
        onAliases={setAliases}
      />
    </FormDialog>
  )
}
