import { i18n } from '@lingui/core'
import type { CustomEmoji } from '../../../../wire/emoji.ts'
import { formFailure } from '../../../ui/fieldFailure.ts'
import { useEffect, useRef, useState } from 'react'
import { addEmoji, areEmojiNames, toEmojiName, toEmojiNames } from '../../../data/emoji/changeEmoji.ts'
import { createFailure } from '../../../data/failures/failures.ts'
import { emojiFromFile } from '../../../features/parts/emoji/emojiFromFile.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useToast } from '../../../ui/toast.ts'
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
  const add = () => {
    const names = { name: toEmojiName(name), aliases: toEmojiNames(aliases) }
    if (!chosen) return null
    setUnusable(null)
    return areEmojiNames([names.name, ...names.aliases])
      ? addEmoji(chosen.id, chosen.image, names)
      : formFailure(createFailure('bad_emoji_name').message)
  }
  const onAdded = (emoji: CustomEmoji) => {
    showToast({ text: i18n._('Added :{name}:.', { name: emoji.name }) })
    setChosen(null)
    setName('')
    setAliases('')
  }
  return (
    <SettingsSection
      title={i18n._('Add an emoji')}
      hint={i18n._('Everyone in the workspace can use it, including guests. Square images look best.')}
    >
      <Form
        action={i18n._('Add emoji')}
        isDisabled={!chosen || !name.trim()}
        failure={unusable}
        run={add}
        onDone={onAdded}
      >
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
      </Form>
    </SettingsSection>
  )
}
