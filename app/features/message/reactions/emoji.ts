import { i18n } from '@lingui/core'

/** The reactions at hand, most used first, each with the words it is found and read by. */
export function emojiAtHand(): { emoji: string; name: string }[] {
  return [
    { emoji: '👍', name: i18n._('Thumbs up') },
    { emoji: '❤️', name: i18n._('Heart') },
    { emoji: '😂', name: i18n._('Laughing') },
    { emoji: '🎉', name: i18n._('Celebration') },
    { emoji: '👀', name: i18n._('Eyes') },
    { emoji: '🙏', name: i18n._('Thank you') },
    { emoji: '✅', name: i18n._('Done') },
    { emoji: '👎', name: i18n._('Thumbs down') },
    { emoji: '🙂', name: i18n._('Smile') },
    { emoji: '😀', name: i18n._('Grin') },
    { emoji: '😍', name: i18n._('Heart eyes') },
    { emoji: '😮', name: i18n._('Surprised') },
    { emoji: '😢', name: i18n._('Sad') },
    { emoji: '😅', name: i18n._('Relieved') },
    { emoji: '🤔', name: i18n._('Thinking') },
    { emoji: '😴', name: i18n._('Sleepy') },
    { emoji: '👏', name: i18n._('Applause') },
    { emoji: '🙌', name: i18n._('Hands up') },
    { emoji: '🤝', name: i18n._('Handshake') },
    { emoji: '💪', name: i18n._('Strong') },
    { emoji: '👋', name: i18n._('Wave') },
    { emoji: '🤷', name: i18n._('Shrug') },
    { emoji: '💛', name: i18n._('Yellow heart') },
    { emoji: '🔥', name: i18n._('Fire') },
    { emoji: '✨', name: i18n._('Sparkles') },
    { emoji: '💡', name: i18n._('Idea') },
    { emoji: '❓', name: i18n._('Question') },
    { emoji: '❗', name: i18n._('Important') },
    { emoji: '⏳', name: i18n._('Waiting') },
    { emoji: '☕', name: i18n._('Coffee') },
    { emoji: '🌱', name: i18n._('Seedling') },
    { emoji: '🚀', name: i18n._('Rocket') },
  ]
}
