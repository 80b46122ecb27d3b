import { useEffect, useState } from 'react'
import type { CustomEmoji } from '../../../../wire/emoji.ts'
import { useCustomEmojiNamed } from '../../../data/emoji/customEmoji.ts'
import { emojiImages, watchBytes } from '../../../data/emoji/emojiImages.ts'
import styles from './CustomEmojiImage.module.css'

/** The image of a custom emoji, given as `:name:`; the name itself if there is none, or while it is loaded. */
export default function CustomEmojiImage({ text }: { text: string }) {
  const emoji = useCustomEmojiNamed(text.slice(1, -1))
  return emoji ? <EmojiImage emoji={emoji} text={text} /> : text
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
