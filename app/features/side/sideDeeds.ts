/** What changes the sidebar and one's preferences, loaded when first needed. */
export const sideDeeds = () => import('../../data/sidebar/sidebarCommands.ts')
