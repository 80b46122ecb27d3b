import { useEffect, useState } from 'react'
import type { CustomEmoji } from '../../../../wire/emoji.ts'
import { useCustomEmojiNamed } from '../../../data/emoji/customEmoji.ts'
import { emojiImages, watchBytes } from '../../../data/emoji/emojiImages.ts'
import { emojiNamed, loadEmojiNames } from './emojiNames.ts'
import styles from './NamedEmoji.module.css'

/** The emoji of a name: the image of a custom one, or a standard one; `:name:` if there is none, or while it is loaded. */
export default function NamedEmoji({ name }: { name: string }) {
  const custom = useCustomEmojiNamed(name)
  const text = `:${name}:`
  return custom ? <EmojiImage emoji={custom} text={text} /> : <StandardEmoji name={name} text={text} />
}

function StandardEmoji({ name, text }: { name: string; text: string }) {
  const [emoji, setEmoji] = useState(() => emojiNamed(name))
  useEffect(() => {
    let isCurrent = true
    const show = (names: ReadonlyMap<string, string>) => isCurrent && setEmoji(names.get(name) ?? null)
    loadEmojiNames().then(show, () => {})
    return () => void (isCurrent = false)
  }, [name])
  return emoji ? <span title={text}>{emoji}</span> : text
}

function EmojiImage({ emoji, text }: { emoji: CustomEmoji; text: string }) {
  const path = `${emoji.workspace_id}/${emoji.id}`
  const [shown, setShown] = useState<{ path: string; url: string | null } | null>(null)
  const [broken, setBroken] = useState<string | null>(null)
  useEffect(() => watchBytes(emojiImages, path, ({ url }) => setShown({ path, url })), [path])
  const url = shown?.path === path ? shown.url : emojiImages.ready(path)
  if (!url || url === broken) return text
  return (
    <img
      src={url}
      alt={text}
      title={text}
      draggable={false}
      className={styles.image}
      onError={() => setBroken(url)}
    />
  )
}
