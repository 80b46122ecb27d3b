/** Milliseconds until preloading starts: visible content is loaded before. */
const PRELOAD_AFTER_MS = 2_000
let isStarted = false

/**
 * Preloads actions of messages and the composer, so that they work offline. What fails is loaded when it is needed.
 */
export function preloadActions(): void {
  if (isStarted) return
  isStarted = true
  setTimeout(() => {
    const imports = [
      import('./menu/MessageToolbar.tsx'),
      import('./menu/MessageMenu.tsx'),
      import('./edit/EditMessage.tsx'),
      import('../reactions/emoji/EmojiPicker.tsx'),
      import('../files/uploads/PendingFiles.tsx'),
      import('./SendError.tsx'),
      import('../signOut/SignOutDialog.tsx'),
      import('../composer/MentionList.tsx'),
      import('../composer/attachments/AttachmentList.tsx'),
      import('../composer/MassMentionDialog.tsx'),
    ]
    void Promise.allSettled(imports)
  }, PRELOAD_AFTER_MS)
}
