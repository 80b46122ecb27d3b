/** Long after the first words, ms: nothing that is looked at waits for this. */
const LATER = 2_000
let begun = false

/**
 * Fetches what one reaches for beside a message or while writing, so that it is there without a connection, too. What
 * fails is fetched when it is needed.
 */
export function fetchAhead(): void {
  if (begun) return
  begun = true
  setTimeout(() => {
    const parts = [
      import('./menu/MessageTools.tsx'),
      import('./menu/MessageMenu.tsx'),
      import('./edit/EditBox.tsx'),
      import('./reactions/emoji/EmojiPicker.tsx'),
      import('../files/sending/PendingFiles.tsx'),
      import('./Refused.tsx'),
      import('../people/leaving/SignOut.tsx'),
      import('../composer/MentionList.tsx'),
      import('../composer/attaching/Attached.tsx'),
      import('../composer/CallQuestion.tsx'),
    ]
    void Promise.allSettled(parts)
  }, LATER)
}
