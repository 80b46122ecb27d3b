/** The dialogs of direct conversations. */
export const directMessageOverlays = {
  'new-conversation': () => import('./NewConversation.tsx'),
  'add-people-to-conversation': () => import('./AddToConversation.tsx'),
}
