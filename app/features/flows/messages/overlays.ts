/** The dialogs that concern a message and other conversations or people. */
export const messageOverlays = {
  forward: () => import('./forward/ForwardMessage.tsx'),
  'move-thread': () => import('./move/MoveThread.tsx'),
  readers: () => import('./readers/WhoCanRead.tsx'),
}
