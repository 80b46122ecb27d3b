import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import { addEmoji, areEmojiNames, toEmojiName, toEmojiNames } from '../../../data/emoji/changeEmoji.ts'
import { createFailure } from '../../../data/failures/failures.ts'
import { emojiFromFile } from '../../../features/parts/emoji/emojiFromFile.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useToast } from '../../../ui/toast.ts'
import { useAction } from '../../../data/hooks/useAction.ts'
import { SettingsSection } from '../SettingsSection.tsx'
import styles from './EmojiPane.module.css'
import { EmojiNameFields } from './EmojiNameFields.tsx'

interface Chosen {
  /** Of the image and the emoji, so that a repeated attempt adds one. */
  id: string
  image: Blob
  url: string
}

/** Adds a custom emoji: image, name and aliases. */
export function AddEmoji() {
  const showToast = useToast()
  const action = useAction()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [unusable, setUnusable] = useState<string | null>(null)
  const [name, setName] = useState('')
  const [aliases, setAliases] = useState('')
  useEffect(() => () => URL.revokeObjectURL(chosen?.url ?? ''), [chosen])

  const choose = async (file: File) => {
    const image = await emojiFromFile(file)
    setUnusable(image ? null : createFailure('bad_emoji_image').message)
    if (!image) return
    setChosen({ id: crypto.randomUUID(), image, url: URL.createObjectURL(image) })
    if (!name) setName(toEmojiName(file.name.replace(/\.\w+$/, '')).replaceAll(/[^a-z0-9_-]/g, ''))
  }
  const submit = async () => {
    const names = { name: toEmojiName(name), aliases: toEmojiNames(aliases) }
    if (!chosen || !names.name) return
    if (!areEmojiNames([names.name, ...names.aliases])) {
      setUnusable(createFailure('bad_emoji_name').message)
      return
    }
    setUnusable(null)
    const added = await action.run(() => addEmoji(chosen.id, chosen.image, names))
    if (!added) return
    showToast({ text: i18n._('Added :{name}:.', { name: added.value.name }) })
    setChosen(null)
    setName('')
    setAliases('')
  }
  return (
    <SettingsSection
      title={i18n._('Add an emoji')}
      hint={i18n._('Everyone in the workspace can use it, including guests. Square images look best.')}
    >
      <Form onSubmit={() => void submit()} failure={unusable ?? action.failure}>
        <div className={styles.preview}>
          {chosen ? <img src={chosen.url} alt={i18n._('Preview')} /> : null}
          <Button onClick={() => input.current?.click()}>
            {chosen ? i18n._('Choose another image') : i18n._('Choose an image')}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            accept="image/png,image/gif,image/webp,image/jpeg,image/avif"
            aria-label={i18n._('Image')}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0]
              // Without this, choosing the same file again after an error would not be a change.
              event.currentTarget.value = ''
              if (file) void choose(file)
            }}
          />
        </div>
        <EmojiNameFields
          name={name}
          nameHint={i18n._('What people type between colons, such as party_cat for :party_cat:.')}
          aliases={aliases}
          onName={setName}
          onAliases={setAliases}
        />
        <div>
          <Button type="submit" variant="primary" busy={action.busy} disabled={!chosen || !name.trim()}>
            {i18n._('Add emoji')}
          </Button>
        </div>
      </Form>
    </SettingsSection>
  )
}
