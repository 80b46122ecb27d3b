/** What changes the sidebar and one's preferences, loaded when first needed. */
export const loadSidebarCommands = () => import('../../data/sidebar/sidebarCommands.ts')
