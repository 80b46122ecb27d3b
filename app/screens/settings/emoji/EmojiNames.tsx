import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { CustomEmoji } from '../../../../wire/emoji.ts'
import { changeEmoji, toEmojiName, toEmojiNames } from '../../../data/emoji/changeEmoji.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { useAction } from '../../../data/hooks/useAction.ts'
import { EmojiNameFields } from './EmojiNameFields.tsx'

/** Changes the name and the aliases of a custom emoji. */
export function EmojiNames({ emoji, onClose }: { emoji: CustomEmoji; onClose: () => void }) {
  const action = useAction()
  const [name, setName] = useState(emoji.name)
  const [aliases, setAliases] = useState(emoji.aliases.join(', '))
  const submit = async () => {
    const names = { name: toEmojiName(name), aliases: toEmojiNames(aliases) }
    if (await action.run(() => changeEmoji(emoji.id, names))) onClose()
  }
  return (
    <Dialog title={i18n._('Edit :{name}:', { name: emoji.name })} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void submit()} failure={action.failure}>
          <EmojiNameFields
            name={name}
            nameHint={i18n._(
              'The current name remains as another name, so that earlier messages still show the emoji.',
            )}
            aliases={aliases}
            onName={setName}
            onAliases={setAliases}
          />
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant="primary" busy={action.busy} disabled={!name.trim()}>
              {i18n._('Save')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
