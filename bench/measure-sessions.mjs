export const measureSessions = async () => []
