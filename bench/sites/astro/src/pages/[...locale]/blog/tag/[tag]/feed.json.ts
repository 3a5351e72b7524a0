// feed.json of each tag.
export { json as GET, ofTags as getStaticPaths } from "../../../../../lib/feeds";
